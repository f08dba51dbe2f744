package io.eddyline.spark.faults

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.checkpointing.{
  CheckpointFileManager,
  FileContextBasedCheckpointFileManager
}

import CheckpointFileManager.CancellableFSDataOutputStream

/** Injects faults before and after files of the logs, version records and state get their names. */
class FaultyCheckpointFileManager(root: Path, conf: Configuration)
  extends FileContextBasedCheckpointFileManager(root, conf) {

  override def createAtomic(
      path: Path,
      overwriteIfPossible: Boolean): CancellableFSDataOutputStream = {
    val place = FaultyCheckpointFileManager.place(path)
    if (place.contains(FaultPoint.InCommitLog)) FaultPoint.reach(FaultPoint.BeforeCommitLog)
    val stream = super.createAtomic(path, overwriteIfPossible)
    place.fold(stream)(new FaultyStream(stream, _))
  }
}

object FaultyCheckpointFileManager {
  private val Batch = raw"\d+".r
  private val State = raw"\d+.*\.(delta|changelog|zip)".r

  private def place(path: Path): Option[String] = (path.getParent.getName, path.getName) match {
    case ("offsets", Batch()) => Some(FaultPoint.OffsetLog)
    case ("commits", Batch()) => Some(FaultPoint.InCommitLog)
    case ("global", Batch()) => Some(FaultPoint.InVersionRecord)
    case (_, State(_)) => Some(FaultPoint.InStateCommit)
    case _ => None
  }
}

private class FaultyStream(stream: CancellableFSDataOutputStream, place: String)
  extends CancellableFSDataOutputStream(stream) {

  override def close(): Unit = {
    FaultPoint.reach(place)
    stream.close()
    FaultPoint.reach(place)
  }

  override def cancel(): Unit = stream.cancel()
}
