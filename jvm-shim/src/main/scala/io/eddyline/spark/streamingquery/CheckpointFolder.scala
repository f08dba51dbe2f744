package io.eddyline.spark.streamingquery

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants._

/**
 * The folder of a checkpoint, as a whole. A folder that is no checkpoint of Spark is not touched.
 *
 * @param path its qualified path
 */
private[streamingquery] class CheckpointFolder(path: String, conf: Configuration) {
  private val folder = new Path(path)
  private val aside = folder.suffix(CheckpointFolder.ASIDE)
  private val files = folder.getFileSystem(conf)

  def delete(): Unit = delete(folder)

  /** Starts a query; deletes the folder again if the start fails and leaves a new, empty one. */
  def deletedIfEmpty[T](start: => T): T = {
    val existed = files.exists(folder)
    try start
    catch {
      case e: Throwable =>
        if (!existed && files.exists(folder) && files.listStatus(folder).isEmpty) {
          files.delete(folder, false): Unit
        }
        throw e
    }
  }

  /** Renames the checkpoint, if there is one, so that a query begins without state. */
  def setAside(): Unit = if (isCheckpoint(folder)) {
    discardAside()
    rename(folder, aside)
  }

  /** Undoes `setAside`. */
  def restore(): Unit = if (isCheckpoint(aside)) {
    delete(folder)
    rename(aside, folder)
  }

  /** Deletes what `setAside` has renamed. */
  def discardAside(): Unit = delete(aside)

  /**
   * Deletes the offsets of the first micro-batch that were being written when the application was
   * killed. Spark would refuse each later start with STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY,
   * since there is a file, but no micro-batch.
   */
  def deleteUnfinishedOffsets(): Unit = {
    val offsets = new Path(folder, DIR_NAME_OFFSETS)
    val found = if (files.exists(offsets)) files.listStatus(offsets).map(_.getPath).toSeq else Nil
    if (found.forall(CheckpointFolder.isUnfinished)) found.foreach(files.delete(_, false): Unit)
  }

  private def delete(path: Path): Unit = if (isCheckpoint(path)) files.delete(path, true): Unit

  private def rename(from: Path, to: Path): Unit = if (!files.rename(from, to)) {
    throw new IOException(s"The checkpoint $from could not be renamed to $to")
  }

  /** Every checkpoint has this file. */
  private def isCheckpoint(path: Path): Boolean = files.exists(new Path(path, DIR_NAME_METADATA))
}

private object CheckpointFolder {
  private val ASIDE = ".before-reset"

  /** Whether a file has the name that Spark's CheckpointFileManager gives before it renames it. */
  private def isUnfinished(file: Path): Boolean =
    file.getName.startsWith(".0.") && file.getName.endsWith(".tmp")
}
