package io.eddyline.spark.streamingquery

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.streamingquery.validation._

/**
 * A new definition for a streaming query that exists, compared with the old one and its checkpoint.
 * Nothing is started, stopped or written.
 *
 * @param place position of the name in the statement with the new definition
 */
private[streamingquery] class Replacement(
    old: ManagedStreamingQuery, candidate: ManagedStreamingQuery, place: Origin) {
  import Difference.{compatible, incompatible}
  import Replacement._

  private val checkpoint = old.storedState

  /** Whether the old query has state that the new one would continue. */
  private lazy val hasBegun: Boolean = checkpoint.isUsed

  /** The same comparison with what the checkpoint has by now. */
  def again: Replacement = new Replacement(old, candidate, place)

  /** Whether the old query can change the differences until it has stopped. */
  def canStillChange: Boolean = !hasBegun || movesFolder

  /**
   * The differences without secrets, those that need a new checkpoint first.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED, and those of a START.
   */
  def differences: Seq[Difference] = {
    old.requireUndamaged(place)
    val all = inQuery ++ folder ++ confs
    val found = if (hasBegun) all else all.map(_.copy(keepsState = true, reason = NOT_BEGUN))
    (found ++ clauses).sortBy(_.keepsState).map(redact)
  }

  /** Whether the new query may leave out records that the old one takes, or the other way round. */
  def judgesOtherwise: Boolean = inQuery.exists(difference => JUDGING(difference.part))

  private lazy val inQuery: Seq[Difference] = query(candidate.startablePlan(place))

  private def redact(difference: Difference): Difference = difference.copy(
    before = difference.before.map(old.redact),
    after = difference.after.map(candidate.redact),
    reason = candidate.redact(old.redact(difference.reason)))

  /** Errors: EDDYLINE_STREAMING_QUERY.LOSES_STATE. */
  def requireKeepsState(): Unit = {
    val lost = differences.filterNot(_.keepsState)
    if (lost.nonEmpty) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.LOSES_STATE", place,
        "name" -> old.name, "differences" -> lost.map(_.text).mkString(" "))
    }
  }

  private def query(plan: LogicalPlan): Seq[Difference] = {
    val planner = new MicroBatchPlanner(candidate.session, checkpoint)
    val after = planner.shape(plan)
    val found = oldShape.fold(
      error => Seq(incompatible("query", None, None, s"$UNRESOLVED ${error.getMessage}")),
      before => {
        val confs = new ConfDifferences(old, candidate, checkpoint, before, after)
        ShapeDifferences.between(before, confs.withoutThem) ++ confs.all
      })
    if (!hasBegun || found.exists(!_.keepsState)) found
    else found ++ checkpoint.sourceCount.toSeq.flatMap { stored =>
      val now = after.sources.size
      Option.when(stored != now)(
        incompatible("source", Some(s"$stored streams"), Some(s"$now streams"), OTHER_QUERY)) ++
        planner.refusal(plan).map(incompatible("state", None, None, _))
    }
  }

  private def oldShape: Either[AnalysisException, QueryShape] =
    try Right(new MicroBatchPlanner(old.session, checkpoint).shape(old.plan(place)))
    catch { case e: AnalysisException => Left(e) }

  private def movesFolder: Boolean = candidate.checkpoint != old.checkpoint

  private def folder: Option[Difference] = {
    val other = candidate.storedState
    val reason =
      if (!movesFolder) None
      else if (!checkpoint.isCopyOf(other)) Some(OTHER_FOLDER)
      else if (!checkpoint.isAsFarAs(other)) Some(OLD_COPY)
      else None
    reason.map(incompatible("CHECKPOINT", Some(old.checkpoint), Some(candidate.checkpoint), _))
  }

  /** The confs that a checkpoint remembers. */
  private def confs: Seq[Difference] = for {
    (key, kept) <- checkpoint.confs.toSeq.sortBy(_._1)
    now <- candidate.session.conf.getOption(key)
    if now != kept
  } yield compatible("conf", Some(s"$key = $kept"), Some(s"$key = $now"), PINNED)

  private def clauses: Seq[Difference] = {
    val (before, after) = (old.definition, candidate.definition)
    def clause(part: String, reason: String, of: StreamingQueryDefinition => Option[String]) =
      Option.when(of(before) != of(after))(compatible(part, of(before), of(after), reason))
    Seq(
      clause("TRIGGER", NEXT_START, _.trigger.sql).map { trigger =>
        if (hasBegun && after.isRealTime && !checkpoint.servesRealTime)
          trigger.copy(keepsState = false, reason = OTHER_FORMAT)
        else trigger
      },
      clause("INSERT INTO",
        if (before.sink.name == after.sink.name) NEXT_START else OTHER_TARGET,
        definition => Some(definition.sink.sql)),
      clause("OPTIONS", NEXT_START, options),
      clause("COMMENT", NEXT_START, _.comment)).flatten
  }

  /** The options of the writer; the others are confs. */
  private def options(definition: StreamingQueryDefinition): Option[String] =
    Option.when(definition.writerOptions.nonEmpty)(
      definition.writerOptions.toSeq.sorted.map { case (k, v) => s"$k=$v" }.mkString(", "))
}

private[streamingquery] object Replacement {

  /** What decides which records a query takes. */
  private val JUDGING = Set("conf", "filter", "query", "source option", "table", "watermark")
  private val NOT_BEGUN = "The query has not begun, so it has no state yet."
  val UNRESOLVED: String = "The old query cannot be resolved any more, so nothing says what its " +
    "state means:"
  private val OTHER_QUERY = "The checkpoint was written by another query."
  private val OTHER_FORMAT =
    "The checkpoint has a format of micro-batches that real-time mode cannot continue."
  private val OTHER_FOLDER = "The state stays in the old folder."
  private val OLD_COPY =
    "The copy ends with another micro-batch than the query, so rows would be written twice, or " +
      "never. Stop the query before its checkpoint is copied."
  private val PINNED = "The checkpoint keeps the old value."
  private val NEXT_START = "It takes effect at the next start."
  private val OTHER_TARGET = "Rows that were written stay in the old table, and are not written " +
    "again."
}
