package io.eddyline.spark.streamingquery

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.Parameter
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals

import io.eddyline.spark.base.{PlanValues, Redaction}
import io.eddyline.spark.streamingquery.validation._

/**
 * The confs in which two definitions of a streaming query differ, by their sessions or by OPTIONS,
 * but for those that the checkpoint keeps. One that changes the keys or the aggregates of the new
 * query, as the time zone does for `CAST(ts AS DATE)`, needs a new checkpoint; so does one that
 * changes HAVING if the query reports what is gone.
 *
 * @param before the shape of the old query
 * @param after the shape of the new query
 */
private[streamingquery] class ConfDifferences(
    old: ManagedStreamingQuery,
    candidate: ManagedStreamingQuery,
    checkpoint: Checkpoint,
    before: QueryShape,
    after: QueryShape) {
  import ConfDifferences._

  private val changes: Seq[Change] = {
    val keys = old.session.conf.getAll.keySet ++ candidate.session.conf.getAll.keySet
    (keys -- checkpoint.confs.keySet).toSeq.sorted
      .map(key =>
        Change(key, old.session.conf.getOption(key), candidate.session.conf.getOption(key)))
      .filter(change => change.before != change.after)
  }

  /** The shape of the new query with the confs of the old one. */
  val withoutThem: QueryShape = if (changes.isEmpty) after else shapeWithout(changes)

  def all: Seq[Difference] = changes.map { change =>
    def shown(query: ManagedStreamingQuery, value: Option[String]) = value.map(value =>
      Redaction.options(query.session.sessionState.conf, Map(change.key -> value))
        .map { case (key, value) => s"$key = $value" }.mkString)
    val (before, after) = (shown(old, change.before), shown(candidate, change.after))
    if (inState.contains(change)) Difference.incompatible("conf", before, after, IN_STATE)
    else if (inHaving.contains(change)) {
      Difference.incompatible("conf", before, after, ShapeDifferences.NEVER_DELETED)
    } else Difference.compatible("conf", before, after, NEXT_START)
  }

  private lazy val inState: Seq[Change] = causing(!_.hasStateOf(after))

  /** The changes by which HAVING means something else, so that rows would never be deleted. */
  private lazy val inHaving: Seq[Change] =
    if (before.reportsDeletes) causing(ShapeDifferences.leavesUndeletedRows(_, after)) else Nil

  /** The changes by which the new query differs from what it is with the old confs. */
  private def causing(differs: QueryShape => Boolean): Seq[Change] =
    if (!differs(withoutThem)) Nil
    else {
      val found = changes.filter(change => differs(shapeWithout(Seq(change))))
      if (found.isEmpty) changes else found
    }

  private def shapeWithout(some: Seq[Change]): QueryShape = {
    val session = SessionInternals.copyOf(candidate.session)
    some.foreach { case Change(key, before, _) =>
      before.fold(session.sessionState.conf.unsetConf(key))(
        session.sessionState.conf.setConfString(key, _))
    }
    try {
      val frame = new QuerySession(session, candidate.user).resolve(parsed(session))
      new MicroBatchPlanner(session, checkpoint).shape(SessionInternals.plan(frame))
    } catch {
      case _: AnalysisException => after // with the old confs there is no such query
    }
  }

  /** Parsed again in this session, because ANSI mode is fixed in a cast when it is parsed. */
  private def parsed(session: SparkSession): LogicalPlan = {
    val definition = candidate.definition
    val plan = session.withActive(session.sessionState.sqlParser.parsePlan(definition.text))
    val hasParameter = PlanValues.nodes(plan).exists(_.isInstanceOf[Parameter])
    if (hasParameter) definition.query else plan
  }
}

private object ConfDifferences {
  private case class Change(key: String, before: Option[String], after: Option[String])
  private val IN_STATE = "The keys or aggregates in the state were computed with the old value."
  private val NEXT_START = "It takes effect at the next start."
}
