package io.eddyline.spark.emit.clause

import java.time.Duration

import org.apache.spark.sql.catalyst.ExtendedAnalysisException
import org.apache.spark.sql.catalyst.eddyline.NullableColumn
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{TreeNodeTag, TreePattern}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.Metadata

import io.eddyline.spark.base.{EddylineErrors, Intervals}
import io.eddyline.spark.shim.StatefulNode

/**
 * The clause EMIT above a query.
 *
 * @param strategy when rows are reported
 * @param every the trigger interval; None if EVERY was not given
 * @param compared the columns that ON CHANGE compares; empty for all
 * @param ignored the columns that ON CHANGE does not compare
 * @param keys the columns that identify a row in ON CHANGE KEY; empty for those of the aggregation
 * @param ordering the ascending order of KEY … ORDER BY; None for the order of arrival
 * @param expiry the age in event time after which EXPIRE AFTER removes the state of a key
 * @param tolerances the amounts of TOLERANCE: a [[ColumnTolerance]] for each column or, until
 *                   [[ResolveEmit]] has run, one amount for all columns that it fits
 * @param deletes the condition of APPLY AS DELETE WHEN, which a row that deletes its key fulfils
 * @param heartbeat HEARTBEAT, which emits an unchanged row again
 * @param changeType WITH CHANGE TYPE, whose column is the last one of the child
 */
case class Emit(
    strategy: EmitStrategy,
    every: Option[Duration],
    compared: Seq[Expression],
    ignored: Seq[Expression],
    keys: Seq[Expression],
    ordering: Option[SortOrder],
    expiry: Option[Duration],
    deletes: Option[Expression],
    tolerances: Seq[Expression],
    heartbeat: Option[Heartbeat],
    changeType: Option[ChangeType],
    child: LogicalPlan)
  extends StatefulNode {

  /** All columns are nullable if rows come from the state, where an earlier query's may be. */
  @transient override lazy val output: Seq[Attribute] =
    if (keepsState) child.output.map(NullableColumn(_)) else child.output

  /** None if rows come from the state: those of earlier micro-batches may not fulfil them. */
  override protected lazy val validConstraints: ExpressionSet =
    if (keepsState) ExpressionSet() else child.constraints

  /** All columns are compared or reported, so none may be pruned below this node. */
  @transient override lazy val references: AttributeSet =
    if (child.resolved) AttributeSet(expressions) ++ child.outputSet else AttributeSet(expressions)

  override def keepsState: Boolean = isKeyed && child.isStreaming

  /** Whether EMIT keeps the rows last emitted in a state store of its own, to compare with them. */
  def isKeyed: Boolean = keys.nonEmpty || options.nonEmpty

  /** The options that need more state than the row last emitted. */
  def options: Set[EmitOption] = Set(
    ordering.map(_ => EmitOption.OrderBy),
    expiry.map(_ => EmitOption.ExpireAfter),
    deletes.filter(_ => ordering.nonEmpty).map(_ => EmitOption.ApplyAsDelete),
    tolerances.headOption.map(_ => EmitOption.Tolerance),
    heartbeat.map(_ => EmitOption.Heartbeat)).flatten

  def keyAttributes: Seq[Attribute] = attributes(keys)

  /** The columns of the result, without that of WITH CHANGE TYPE. */
  def resultAttributes: Seq[Attribute] = if (changeType.isEmpty) output else output.init

  /** The columns whose values decide whether a row has changed, in the order of the output. */
  def comparedAttributes: Seq[Attribute] = {
    val only = AttributeSet(attributes(compared))
    val without = AttributeSet(attributes(ignored))
    resultAttributes.filter(a => (only.isEmpty || only.contains(a)) && !without.contains(a))
  }

  /** Whether rows of the result may be updated later, because they come from an aggregation. */
  def overAggregation: Boolean = Emit.aggregatesStream(child)

  /** The metadata of the columns by which aggregations of a stream group. */
  private[emit] def groupingMetadata: Seq[Metadata] = child.collect {
    case aggregate: Aggregate if aggregate.isStreaming => aggregate.groupingExpressions
  }.flatten.collect { case column: NamedExpression => column.metadata }

  /**
   * Whether changes of session windows are reported. Spark has no Update mode for them, so such a
   * query runs in Append mode.
   */
  private[emit] def reportsSessions: Boolean =
    strategy == EmitStrategy.OnChange && changeType.nonEmpty && !isKeyed &&
      groupingMetadata.exists(_.contains(SessionWindow.marker))

  /** Whether no emitted row is updated later: ON WINDOW CLOSE, or WITH CHANGE TYPE of sessions. */
  private[emit] def emitsFinalRowsOnly: Boolean =
    strategy == EmitStrategy.OnWindowClose || reportsSessions

  /** The output mode of the query, unless it is started in Complete mode. */
  def outputMode: OutputMode =
    if (emitsFinalRowsOnly || !overAggregation) OutputMode.Append() else OutputMode.Update()

  /** The part of the clause that real-time mode cannot fulfil, as SQL; None if it can run all. */
  def realTimeObstacle: Option[String] = strategy match {
    case EmitStrategy.OnUpdate => None
    case _ if reportsSessions => Some(s"${strategy.sql} over session windows")
    case EmitStrategy.OnChange =>
      options.collectFirst { case option @ (EmitOption.OrderBy | EmitOption.Heartbeat) =>
        s"${strategy.sql} … ${option.sql}"
      }
    case other => Some(other.sql)
  }

  override def simpleString(maxFields: Int): String = s"Emit$clauses"

  /** The clause as one could type it. */
  def sql: String = s"EMIT$clauses"

  private def clauses: String = {
    def list(word: String, columns: Seq[Expression]): String =
      if (columns.isEmpty) "" else columns.map(_.sql).mkString(s" $word (", ", ", ")")
    val pace = every.fold("")(interval => s"EVERY ${Intervals.sql(interval)}")
    val on = if (strategy == EmitStrategy.Every) "" else strategy.sql
    Seq(pace, on).filter(_.nonEmpty).map(" " + _).mkString +
      list("OF", compared) + list("EXCEPT", ignored) + list("KEY", keys) +
      ordering.fold("")(by => s" ORDER BY ${by.child.sql}") +
      expiry.fold("")(age => s" EXPIRE AFTER ${Intervals.sql(age)}") +
      deletes.fold("")(condition => s" APPLY AS DELETE WHEN ${condition.sql}") +
      toleranceSql + heartbeat.fold("")(beat => s" HEARTBEAT ${Intervals.sql(beat.interval)}") +
      changeType.fold("")(" " + _.sql)
  }

  private def toleranceSql: String = tolerances match {
    case Nil => ""
    case Seq(amount) if !amount.isInstanceOf[ColumnTolerance] => s" TOLERANCE ${amount.sql}"
    case columns => columns.map(_.sql).mkString(" TOLERANCE (", ", ", ")")
  }

  /**
   * Replaces Spark's error about a stream that is run as a batch query, by one that says how to
   * start the query. Spark's check for streams calls this method, and there is no extension point
   * before it. Only that error is about a streaming source, the first node that Spark visits.
   *
   * Errors: EDDYLINE_EMIT.STREAM_NOT_STARTED, at the clause.
   */
  override def foreachUp(f: LogicalPlan => Unit): Unit =
    try super.foreachUp(f)
    catch {
      case refused: ExtendedAnalysisException if refused.plan.exists(Emit.isStreamingSource) =>
        fail("STREAM_NOT_STARTED")
    }

  /** Raises an error of the clause, at its position in the SQL text. */
  private[emit] def fail(condition: String, parameters: (String, String)*): Nothing =
    EddylineErrors.fail(s"EDDYLINE_EMIT.$condition", origin, parameters: _*)

  private def attributes(columns: Seq[Expression]): Seq[Attribute] =
    columns.collect { case a: Attribute => a }

  override protected def withNewChildInternal(newChild: LogicalPlan): Emit = copy(child = newChild)
}

object Emit {
  private val REMOVED = TreeNodeTag[String]("eddyline.emit.removed")

  /** Records in the query that its EMIT is removed, for reports. */
  private[emit] def recordRemoved(emit: Emit): Unit = emit.child.setTagValue(REMOVED, emit.sql)

  /** Returns the clause that was removed above a node of a batch query; None if there was none. */
  private[spark] def removedClause(node: LogicalPlan): Option[String] = node.getTagValue(REMOVED)

  /** Whether a plan aggregates a stream. */
  private[spark] def aggregatesStream(plan: LogicalPlan): Boolean = plan.exists {
    case aggregation @ (_: Aggregate | _: Distinct) => aggregation.isStreaming
    case _ => false
  }

  private def isStreamingSource(plan: LogicalPlan): Boolean =
    plan.isStreaming && plan.children.isEmpty

  /** Finds the EMIT of a query, which has at most one. */
  def findIn(query: LogicalPlan): Option[Emit] =
    withCtesInlined(query).collectFirst { case emit: Emit => emit }

  /** Returns an analyzed query in which common table expressions replace their names. */
  private[emit] def withCtesInlined(query: LogicalPlan): LogicalPlan =
    if (query.containsPattern(TreePattern.CTE)) InlineCTE(alwaysInline = true)(query) else query

  /** The output mode in which START STREAMING QUERY runs a query. */
  def outputMode(query: LogicalPlan): OutputMode =
    findIn(query).fold(OutputMode.Append())(_.outputMode)
}
