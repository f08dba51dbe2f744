package io.eddyline.spark.globaltable

import java.io.FileNotFoundException
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

import io.eddyline.spark.EddylineErrors

/**
 * The versions that the micro-batches of one run of a streaming query join, kept in its checkpoint:
 * `eddyline/global/<batch>` holds a JSON object of table and version, which is in force from that
 * micro-batch on. It is written when the micro-batch is planned: after its offsets and before any
 * task of it, so a crash before it means that nothing has run. Only a change is written.
 *
 * A micro-batch that the checkpoint knows already may be a replay, and gets the versions on record.
 *
 * @param replayUpTo the newest micro-batch in the offset log when the run began
 */
private[globaltable] class BatchVersions private (
    root: Path,
    replayUpTo: Long,
    conf: Configuration) {
  import BatchVersions._

  private val folder = new Path(root, FOLDER)
  private lazy val files = {
    val manager = CheckpointFileManager.create(folder, conf)
    manager.mkdirs(folder)
    manager
  }
  private var batch = -1L
  private val chosen = mutable.Map.empty[String, Version]
  private var recorded = Map.empty[String, String]
  private var isRead = false

  /**
   * The version of a table in a micro-batch: that of an earlier attempt, or what `choose` gives.
   * All queries of one micro-batch get the same.
   */
  def of(batch: Long, table: GlobalTable): Version = synchronized {
    if (batch != this.batch) {
      this.batch = batch
      chosen.clear()
    }
    if (!isRead || batch <= replayUpTo) recorded = inForce(batch)
    isRead = true
    val key = table.id.sql
    chosen.getOrElseUpdate(key, {
      val replayed = recorded.get(key).filter(_ => batch <= replayUpTo).map(table.replay)
      val version = replayed.getOrElse(table.version())
      if (!recorded.get(key).contains(version.name)) record(key, version.name)
      version
    })
  }

  private def record(table: String, version: String): Unit = {
    recorded += table -> version
    val out = files.createAtomic(new Path(folder, batch.toString), overwriteIfPossible = true)
    try {
      out.write(json.writeValueAsBytes(recorded.asJava))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
    prune()
  }

  private def inForce(batch: Long): Map[String, String] =
    ids(folder).filter(_ <= batch).maxOption.fold(Map.empty[String, String]) { id =>
      val in = files.open(new Path(folder, id.toString))
      try json.readTree(in).properties.asScala
        .map(entry => entry.getKey -> entry.getValue.textValue).toMap
      finally in.close()
    }

  /** With the offset log, but the record in force at its first micro-batch stays. */
  private def prune(): Unit = ids(new Path(root, OFFSETS)).minOption.foreach { oldest =>
    val before = ids(folder).filter(_ <= oldest).sorted
    before.dropRight(1).foreach(id => files.delete(new Path(folder, id.toString)))
  }

  private def ids(folder: Path): Seq[Long] = BatchVersions.ids(folder, conf)
}

private[globaltable] object BatchVersions {
  private val FOLDER = "eddyline/global"
  private val OFFSETS = "offsets"
  private val json = new ObjectMapper
  private val runs = new ConcurrentHashMap[UUID, BatchVersions]

  /**
   * How a plan of this thread finds its versions: in a micro-batch, through the checkpoint.
   *
   * Errors: EDDYLINE_GLOBAL_TABLE.CONTINUOUS_TRIGGER.
   */
  def current(session: SparkSession): GlobalTable => Version =
    MicroBatch.current(session).fold[GlobalTable => Version](_.version()) { micro =>
      if (micro.isContinuous) {
        throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.CONTINUOUS_TRIGGER", Map.empty)
      }
      val run = runs.computeIfAbsent(micro.run, _ => {
        val active = MicroBatch.activeRuns(session)
        runs.keySet.removeIf(run => !active(run))
        val conf = session.sessionState.newHadoopConf()
        val root = new Path(micro.checkpoint)
        new BatchVersions(root, ids(new Path(root, OFFSETS), conf).maxOption.getOrElse(-1), conf)
      })
      run.of(micro.batch, _)
    }

  /** Whether this thread plans a micro-batch. */
  def isBatch(session: SparkSession): Boolean = MicroBatch.current(session).isDefined

  private def ids(folder: Path, conf: Configuration): Seq[Long] =
    try folder.getFileSystem(conf).listStatus(folder).toSeq
      .flatMap(file => Try(file.getPath.getName.toLong).toOption)
    catch { case _: FileNotFoundException => Nil }
}
