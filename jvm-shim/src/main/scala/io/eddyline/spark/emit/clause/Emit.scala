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
 * The clause EMIT over a query.
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

  /** A row may be that of an earlier micro-batch, in which other columns could be NULL. */
  @transient override lazy val output: Seq[Attribute] =
    if (keepsState) child.output.map(NullableColumn(_)) else child.output

  /** What holds for the rows of this micro-batch need not hold for earlier ones. */
  override protected lazy val validConstraints: ExpressionSet =
    if (keepsState) ExpressionSet() else child.constraints

  /** All columns are compared or reported, so none may be pruned below this node. */
  @transient override lazy val references: AttributeSet =
    if (child.resolved) AttributeSet(expressions) ++ child.outputSet else AttributeSet(expressions)

  override def keepsState: Boolean = isKeyed && child.isStreaming

  /** Whether rows are compared with those last emitted, kept in a state store of EMIT's own. */
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
  def overAggregation: Boolean = Emit.aggregates(child)

  /** What is known of the columns by which aggregations of a stream group. */
  private[emit] def groupingMetadata: Seq[Metadata] = child.collect {
    case aggregate: Aggregate if aggregate.isStreaming => aggregate.groupingExpressions
  }.flatten.collect { case column: NamedExpression => column.metadata }

  /**
   * Whether changes of session windows are reported. Spark has no Update mode for these, so they
   * are the rows of a query in Append mode.
   */
  private[emit] def reportsSessions: Boolean =
    strategy == EmitStrategy.OnChange && changeType.nonEmpty && !isKeyed &&
      groupingMetadata.exists(_.contains(SessionWindow.marker))

  /** Whether no row is updated later: one that ON WINDOW CLOSE or WITH CHANGE TYPE reports. */
  private[emit] def appends: Boolean = strategy == EmitStrategy.OnWindowClose || reportsSessions

  /** The output mode of the query, unless it is started in Complete mode. */
  def outputMode: OutputMode =
    if (appends || !overAggregation) OutputMode.Append() else OutputMode.Update()

  /** What waits for the end of a micro-batch, so that real-time mode cannot fulfil it. */
  def beyondRealTime: Option[String] = strategy match {
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
   * Spark visits the nodes of a query by this method when it refuses to run a stream as a batch
   * query, and its error names no SQL that would run it. No extension point lies before that. That
   * error alone is about a streaming source, the first node that Spark visits.
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

  /** The clause that was removed from above a node of a batch query. */
  private[spark] def removed(node: LogicalPlan): Option[String] = node.getTagValue(REMOVED)

  /** Whether a plan aggregates a stream. */
  private[emit] def aggregates(plan: LogicalPlan): Boolean = plan.exists {
    case aggregation @ (_: Aggregate | _: Distinct) => aggregation.isStreaming
    case _ => false
  }

  private def isStreamingSource(plan: LogicalPlan): Boolean =
    plan.isStreaming && plan.children.isEmpty

  /** The EMIT of a query; there is at most one. Below it are all nodes that it reads. */
  def in(query: LogicalPlan): Option[Emit] = inlined(query).collectFirst { case emit: Emit => emit }

  /** Returns an analyzed query with its common table expressions in the place of their names. */
  private[emit] def inlined(query: LogicalPlan): LogicalPlan =
    if (query.containsPattern(TreePattern.CTE)) InlineCTE(alwaysInline = true)(query) else query

  /** The output mode in which START STREAMING QUERY runs a query. */
  def outputMode(query: LogicalPlan): OutputMode =
    in(query).fold(OutputMode.Append())(_.outputMode)
}
