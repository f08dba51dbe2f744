package io.eddyline.spark.realtime

import java.util.concurrent.TimeUnit.MILLISECONDS

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.StaticConf
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

import io.eddyline.spark.base.{CheckpointFile, CheckpointGeneration, EddylineConf, PerRun}
import io.eddyline.spark.kafka.TopicEnds

/**
 * Decides for a run of a streaming query whether it must emit rows again that change nothing,
 * because an earlier run may have emitted other rows and not committed them.
 *
 * Real-time mode emits rows before it commits their micro-batch. If a run ends in between, the next
 * run, whatever its trigger, reads the same records again, but perhaps in other micro-batches, in
 * another order of partitions, or with other versions of global tables. So a result that equals the
 * stored one may differ from the row that was emitted last. Therefore the next run emits the row or
 * the tombstone of each key even if it changes nothing, until a micro-batch is committed that has
 * passed all records which the earlier run may have read.
 *
 * These records are known only once the tasks of the earlier run have ended. A run of the same
 * application waits for them. Executors of another application may run for a time without their
 * driver, so the ends of the topics are read again after that time.
 */
private class UncommittedOutput(
    session: SparkSession, run: String, file: CheckpointFile[UncommittedRuns]) {
  import UncommittedOutput._

  private val context = session.sparkContext
  private var batch = -1L
  private var stored = Option.empty[UncommittedRuns]

  /** The runs of other applications whose tasks may still run, until a time in ms. */
  private var others = Map.empty[String, String]
  private var until = 0L

  /** The ends of the topics that a micro-batch has to pass, and the micro-batch that read them. */
  private var ends = Seq.empty[String]
  private var endsReadIn = -1L

  /** Whether the micro-batch may read records of which an earlier run has emitted rows. */
  def mustReemit(now: MicroBatch): Boolean = synchronized {
    if (now.batch != batch) {
      if (batch < 0) readRecord(now)
      if (others.nonEmpty && System.currentTimeMillis >= until) {
        others = Map.empty
        ends = TopicEnds.now(MicroBatch.streams(session))
        endsReadIn = now.batch
      }
      if (ends.nonEmpty && others.isEmpty &&
        TopicEnds.arePassed(ends, MicroBatch.streams(session), now.batch > endsReadIn)) ends = Nil
      writeRecord(now)
      batch = now.batch
    }
    ends.nonEmpty
  }

  /** Reads the record of the earlier runs, and waits for those of this application. */
  private def readRecord(now: MicroBatch): Unit = {
    stored = file.read()
    endsReadIn = now.batch
    stored.foreach { found =>
      found.runs.get(application(context)).foreach(awaitEnd(context, _))
      others = found.runs - application(context)
      until =
        if (found.until > 0) found.until else System.currentTimeMillis + maxOverrun(context)
      ends = if (found.runs.isEmpty) found.ends else TopicEnds.now(MicroBatch.streams(session))
    }
  }

  /** Records, before the micro-batch emits a row, what the next run has to know. */
  private def writeRecord(now: MicroBatch): Unit = {
    val isRealTime = MicroBatch.isRealTime(session)
    val runs = if (isRealTime) others.updated(application(context), run) else others
    val last = if (isRealTime) now.batch else stored.fold(now.batch)(_.batch)
    val next = Option.when(runs.nonEmpty || ends.nonEmpty)(
      UncommittedRuns(last, runs, ends, if (isRealTime || others.isEmpty) 0 else until))
    if (next != stored) {
      next.fold(file.delete())(file.write)
      stored = next
    }
  }
}

private[spark] object UncommittedOutput extends Logging {
  private val byRun = new PerRun[UncommittedOutput]

  /**
   * How long executors of another application may go on, in ms, after this one has taken over the
   * query: until that one knows that its lease is lost, and its executors that it has ended.
   */
  private def maxOverrun(context: SparkContext): Long =
    StaticConf.of(context.getConf, EddylineConf.LEASE_DURATION) + executorTimeout(context)

  /** After how many ms Spark takes an executor for lost that sends no heartbeat. */
  private def executorTimeout(context: SparkContext): Long =
    context.getConf.getTimeAsMs("spark.network.timeout", "120s")

  /**
   * Waits until no task of a run of this application runs. Spark cancels the tasks but does not
   * wait for them, so a task may still emit a row when the next run starts. Waits at most for the
   * timeout of executors, since Spark may have dropped the event of a task's end.
   */
  private def awaitEnd(context: SparkContext, run: String): Unit = {
    val tracker = context.statusTracker
    // the job group of a streaming query is the id of its run
    def areRunning = tracker.getJobIdsForGroup(run).flatMap(tracker.getJobInfo(_))
      .flatMap(_.stageIds).flatMap(tracker.getStageInfo(_)).exists(_.numActiveTasks > 0)
    val deadline = System.nanoTime + MILLISECONDS.toNanos(executorTimeout(context))
    while (areRunning && System.nanoTime - deadline < 0) Thread.sleep(10)
    if (areRunning) logWarning(s"Tasks of the run $run do not end")
  }

  /**
   * Whether the thread's micro-batch must emit rows even if they change nothing. The first call for
   * a micro-batch, before its first task, records in the checkpoint what the next run has to know.
   */
  def mustReemit(session: SparkSession): Boolean = MicroBatch.current(session).exists { now =>
    val output = byRun.of(session, now.run).computeIfAbsent(
      now.run, run => new UncommittedOutput(session, run.toString, fileOf(session, now.checkpoint)))
    output.mustReemit(now)
  }

  /**
   * Waits for the tasks of an earlier run of this application whose first micro-batch has stored no
   * offsets. If the checkpoint has no record, since an earlier version of eddyline wrote it, it
   * gets one of an unknown run.
   *
   * @return whether there was a record, so that the micro-batch was one of real-time mode
   */
  def awaitFirstMicroBatch(session: SparkSession, checkpoint: String): Boolean = {
    val context = session.sparkContext
    val file = fileOf(session, checkpoint)
    val found = file.read()
    if (found.isEmpty) file.write(UNKNOWN)
    found.flatMap(_.runs.get(application(context))).foreach(awaitEnd(context, _))
    found.exists(_ != UNKNOWN)
  }

  /** The id of the application with that of the attempt, since YARN may start a driver again. */
  private def application(context: SparkContext): String =
    (context.applicationId +: context.applicationAttemptId.toSeq).mkString("/")

  /** Whether rows of a micro-batch may have been emitted that is not committed. */
  def isRecorded(session: SparkSession, checkpoint: String): Boolean =
    fileOf(session, checkpoint).exists

  /** Replaces a record that cannot be read by that of an unknown run. */
  def repair(checkpoint: Path, conf: Configuration): Unit = {
    val file = new CheckpointFile[UncommittedRuns](checkpoint, FILE, conf)
    try file.read(): Unit
    catch { case _: AnalysisException => file.write(UNKNOWN) }
  }

  /** The record, which belongs to all generations of a checkpoint. */
  private def fileOf(session: SparkSession, folder: String): CheckpointFile[UncommittedRuns] = {
    val conf = session.sessionState.newHadoopConf()
    new CheckpointFile(CheckpointGeneration.checkpointOf(new Path(folder), conf), FILE, conf)
  }

  private val FILE = "answering"

  /** The record of an unknown run, which has emitted rows of the first micro-batch. */
  private val UNKNOWN = UncommittedRuns(0, Map("" -> ""), Nil)
}

/**
 * The content of the file `eddyline/answering` of a checkpoint: the runs that may have emitted rows
 * without committing them. It is written before a micro-batch in real-time mode emits its first
 * row, and deleted when a micro-batch is committed that has passed the ends.
 *
 * @param batch the number of the last micro-batch in real-time mode that has emitted rows
 * @param runs the ids of the runs in real-time mode that may still emit rows, by the id of their
 *             application
 * @param ends the end offsets of the topics of each stream, as Spark's Kafka source writes them:
 *             rows of records before them may have been emitted and not committed
 * @param until when those runs have ended for sure, in ms since the epoch; 0 if that is not known
 */
private[realtime] case class UncommittedRuns(
    batch: Long, runs: Map[String, String], ends: Seq[String], until: Long = 0)
