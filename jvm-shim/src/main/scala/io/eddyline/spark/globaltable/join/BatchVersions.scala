package io.eddyline.spark.globaltable.join

import java.io.{FileNotFoundException, InputStream}
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import com.google.common.cache.CacheBuilder
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants._

import io.eddyline.spark.base.{AtomicWrite, CheckpointFile, EddylineErrors, Json, PerRun}
import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.refresh.GlobalTable
import io.eddyline.spark.globaltable.version.Version

/**
 * The versions that the micro-batches of one run of a streaming query join, recorded in its
 * checkpoint: `eddyline/global/<batch>` is a JSON object that maps tables to versions. It is
 * written when the micro-batch is planned: after its offsets and before any of its tasks. So a
 * micro-batch that an earlier run has begun gets the recorded versions; if there are none, no task
 * of it has run, and it gets the current ones. So each needs a record, even if no version changes.
 */
private[globaltable] class BatchVersions private (root: Path, conf: Configuration) {
  import BatchVersions._

  /** The newest batch in the offset log when the run plans its first, which may be that one. */
  private val lastInOffsetLog = ids(new Path(root, DIR_NAME_OFFSETS)).maxOption.getOrElse(-1L)

  private val folder = new Path(root, FOLDER)
  private lazy val files = {
    val manager = CheckpointFileManager.create(folder, conf)
    manager.mkdirs(folder)
    manager
  }
  private var batch = -1L
  private val chosen = mutable.Map.empty[String, Version]
  private var recorded = Map.empty[String, String]

  /**
   * Returns the version of a table for a micro-batch: that of an earlier attempt, else the current
   * one. All queries of one micro-batch get the same. A thread that was started in foreachBatch
   * may come with the number of an earlier micro-batch; it gets the versions of the current one.
   */
  def of(micro: MicroBatch, table: GlobalTable): Version = synchronized {
    if (micro.batch > batch) {
      if (batch < 0) discardAfter(micro.batch)
      batch = micro.batch
      chosen.clear()
      val isReplay = batch <= lastInOffsetLog && !micro.isNew
      recorded = if (isReplay) recordOf(batch) else Map.empty
    }
    val key = table.id.sql
    chosen.getOrElseUpdate(key, {
        val version = recorded.get(key).fold(table.version())(table.replay)
        if (!recorded.get(key).contains(version.name)) record(key, version.name)
        version
      })
  }

  private def record(table: String, version: String): Unit = {
    recorded += table -> version
    AtomicWrite.replace(files, new Path(folder, batch.toString)) { out =>
      out.write(Json.mapper.writeValueAsBytes(recorded.asJava))
    }
    if (batch % PRUNE_EVERY == 0) prune()
  }

  /** Returns the recorded versions of a micro-batch; tables that were not yet planned have none. */
  private def recordOf(batch: Long): Map[String, String] = {
    val file = new Path(folder, batch.toString)
    if (!files.exists(file)) Map.empty
    else {
      Using.resource(files.open(file))(in => Json.mapper.readTree(in: InputStream))
        .properties.asScala.map(entry => entry.getKey -> entry.getValue.textValue).toMap
    }
  }

  /**
   * Deletes the records of later micro-batches, whose offsets were lost: asynchronous progress
   * tracking may write offsets only after a micro-batch has ended.
   */
  private def discardAfter(batch: Long): Unit =
    ids(folder).filter(_ > batch).foreach(id => files.delete(new Path(folder, id.toString)))

  /** Deletes records older than the offset log. */
  private def prune(): Unit = ids(new Path(root, DIR_NAME_OFFSETS)).minOption.foreach { oldest =>
    ids(folder).filter(_ < oldest).foreach(id => files.delete(new Path(folder, id.toString)))
  }

  private def ids(folder: Path): Seq[Long] =
    try folder.getFileSystem(conf).listStatus(folder).toSeq
        .flatMap(file => Try(file.getPath.getName.toLong).toOption)
    catch { case _: FileNotFoundException => Nil }
}

private[globaltable] object BatchVersions {
  private val FOLDER = s"${CheckpointFile.FOLDER}/global"

  /** The number of micro-batches after which old records are deleted. */
  private val PRUNE_EVERY = 10
  private val runs = new PerRun[BatchVersions]

  /** The number of statements whose versions are remembered. */
  private val MAX_STATEMENTS = 1000L

  /** The versions by application and statement, such as a MERGE, which may run several queries. */
  private val statements = CacheBuilder.newBuilder().maximumSize(MAX_STATEMENTS)
    .build[(String, String), ConcurrentHashMap[TableId, Version]]()

  /**
   * Returns how a plan of this thread chooses versions: in a micro-batch by the checkpoint, else
   * the current one, and for all queries of a statement the same.
   *
   * Errors: EDDYLINE_GLOBAL_TABLE.CONTINUOUS_TRIGGER.
   */
  def ofThread(session: SparkSession): GlobalTable => Version = {
    if (MicroBatch.isContinuous(session)) {
      throw EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.CONTINUOUS_TRIGGER", Map.empty)
    }
    MicroBatch.current(session).fold(ofStatement(session)) { micro =>
      def newRun =
        new BatchVersions(new Path(micro.checkpoint), session.sessionState.newHadoopConf())
      val run = runs.of(session, micro.run).computeIfAbsent(micro.run, _ => newRun)
      run.of(micro, _)
    }
  }

  private def ofStatement(session: SparkSession): GlobalTable => Version = {
    val context = session.sparkContext
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ROOT_ID_KEY))
      // a thread that a statement has started keeps the id after the statement has ended
      .filter(id => SQLExecution.getQueryExecution(id.toLong) != null)
      .fold[GlobalTable => Version](_.version()) { id =>
        val versions = statements.get((context.applicationId, id), () => new ConcurrentHashMap)
        table =>
          Option(versions.get(table.id)).getOrElse {
            val version = table.version()
            Option(versions.putIfAbsent(table.id, version)).getOrElse(version)
          }
      }
  }

  /** Whether this thread plans a micro-batch. */
  def isMicroBatch(session: SparkSession): Boolean = MicroBatch.current(session).isDefined
}
