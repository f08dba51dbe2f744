package io.eddyline.spark.realtime

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.StaticConf
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

import io.eddyline.spark.base.{CheckpointFile, CheckpointGeneration, EddylineConf, PerRun}
import io.eddyline.spark.kafka.TopicEnds

/**
 * Whether a run of a streaming query may read records that an earlier run has answered and not
 * committed.
 *
 * A run in real-time mode that ends in the middle of a micro-batch has written rows, and stored
 * nothing. The next run, whatever its trigger, reads the same records, but perhaps in other
 * micro-batches, in another order of partitions, or with other versions of global tables. So a
 * result that equals the stored one may differ from the row that was written last. Therefore the
 * row or the tombstone of each key is emitted, even if it changes nothing, until a micro-batch is
 * committed that has passed all records which the earlier run may have read.
 *
 * Which these are is known only once the tasks of the earlier run have ended: the next run of the
 * same application waits for them. An executor of another application may run on without its
 * driver for a time, so the ends of the topics are read again after that.
 */
private class LostAnswers(session: SparkSession, run: String, file: CheckpointFile[Answering]) {
  import LostAnswers._

  private val context = session.sparkContext
  private var batch = -1L
  private var stored = Option.empty[Answering]
  private var others = Map.empty[String, String]
  private var until = 0L
  private var ends = Seq.empty[String]
  private var endsRead = -1L // by the micro-batch with this number

  /** Whether the micro-batch may read such records. */
  def mayExist(now: MicroBatch): Boolean = synchronized {
    if (now.batch != batch) {
      if (batch < 0) find(now)
      if (others.nonEmpty && System.currentTimeMillis >= until) {
        others = Map.empty
        ends = TopicEnds.now(MicroBatch.streams(session))
        endsRead = now.batch
      }
      if (ends.nonEmpty && others.isEmpty &&
        TopicEnds.arePassed(ends, MicroBatch.streams(session), now.batch > endsRead)) ends = Nil
      record(now)
      batch = now.batch
    }
    ends.nonEmpty
  }

  /** Reads what the earlier runs have left. */
  private def find(now: MicroBatch): Unit = {
    stored = file.read()
    endsRead = now.batch
    stored.foreach { found =>
      found.runs.get(application(context)).foreach(EarlierTasks.await(context, _))
      others = found.runs - application(context)
      until =
        if (found.until > 0) found.until else System.currentTimeMillis + longestEnd(context)
      ends = if (found.runs.isEmpty) found.ends else TopicEnds.now(MicroBatch.streams(session))
    }
  }

  /** Records, before the micro-batch writes a row, what the next run has to know. */
  private def record(now: MicroBatch): Unit = {
    val isRealTime = MicroBatch.isRealTime(session)
    val runs = if (isRealTime) others.updated(application(context), run) else others
    val last = if (isRealTime) now.batch else stored.fold(now.batch)(_.batch)
    val next = Option.when(runs.nonEmpty || ends.nonEmpty)(
      Answering(last, runs, ends, if (isRealTime || others.isEmpty) 0 else until))
    if (next != stored) {
      next.fold(file.delete())(file.write)
      stored = next
    }
  }
}

private[spark] object LostAnswers {
  private val answers = new PerRun[LostAnswers]

  /**
   * How long an executor may go on whose application has ended, in milliseconds: another
   * application may take over before that one knows that its lease is lost.
   */
  private def longestEnd(context: SparkContext): Long =
    StaticConf.of(context.getConf, EddylineConf.LEASE_DURATION) + EarlierTasks.silence(context)

  /**
   * Whether the micro-batch for which the thread works may read records that were answered before.
   * Its first call, before the first task, records what the next run has to know.
   */
  def mayExist(session: SparkSession): Boolean = MicroBatch.current(session).exists { now =>
    val answering = answers.of(session, now.run).computeIfAbsent(
      now.run, run => new LostAnswers(session, run.toString, fileOf(session, now.checkpoint)))
    answering.mayExist(now)
  }

  /**
   * Waits for the tasks of an earlier run of this application, whose first micro-batch has stored
   * no offsets. A checkpoint of an earlier version has no record of it, and gets one.
   *
   * @return whether there was a record, so that the micro-batch was one of real-time mode
   */
  def awaitFirst(session: SparkSession, checkpoint: String): Boolean = {
    val context = session.sparkContext
    val file = fileOf(session, checkpoint)
    val found = file.read()
    if (found.isEmpty) file.write(UNKNOWN)
    found.flatMap(_.runs.get(application(context))).foreach(EarlierTasks.await(context, _))
    found.exists(_ != UNKNOWN)
  }

  /** The id of the application, of which YARN starts a driver again under the same one. */
  private def application(context: SparkContext): String =
    (context.applicationId +: context.applicationAttemptId.toSeq).mkString("/")

  /** Whether rows of a micro-batch that is not committed may have been written. */
  def areRecorded(session: SparkSession, checkpoint: String): Boolean =
    fileOf(session, checkpoint).exists

  /** Replaces a record that cannot be read by one that says that some run has answered. */
  def repair(checkpoint: Path, conf: Configuration): Unit = {
    val file = new CheckpointFile[Answering](checkpoint, FILE, conf)
    try file.read(): Unit
    catch { case _: AnalysisException => file.write(UNKNOWN) }
  }

  /** The record, which belongs to all generations of a checkpoint. */
  private def fileOf(session: SparkSession, folder: String): CheckpointFile[Answering] = {
    val conf = session.sessionState.newHadoopConf()
    new CheckpointFile(CheckpointGeneration.checkpointOf(new Path(folder), conf), FILE, conf)
  }

  private val FILE = "answering"

  /** Some run of some application has answered its first micro-batch. */
  private val UNKNOWN = Answering(0, Map("" -> ""), Nil)
}
