package io.eddyline.spark.emit.keyed

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SortExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.streaming.operators.stateful._

import io.eddyline.spark.base.ContentHash
import io.eddyline.spark.emit.aggregate.StateColumnsExec

/**
 * Takes the place of [[EmitOnChangeKeyExec]] during planning, above two of Spark's stateful
 * operators that never run: Spark assigns state, watermarks, schema and metadata only to operators
 * of its own. InsertEmit then replaces all three by [[EmitOnChangeKeyExec]], which gets what was
 * assigned to them.
 *
 * @param state the options of the clause, and the columns of the state
 * @param child a StateStoreSaveExec over a StateStoreRestoreExec, each over a [[StateColumnsExec]]
 */
case class StateInfoPlaceholderExec(
    override val output: Seq[Attribute], state: KeyState, child: SparkPlan)
  extends UnaryExecNode {

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def producedAttributes: AttributeSet = AttributeSet(output)

  /** Returns the operator that runs, with what Spark has assigned, over the rows of the query. */
  def toEmitExec: SparkPlan = child match {
    case save @ StateStoreSaveExec(_, _, _, _, _, _,
          StateColumnsExec(_, StateStoreRestoreExec(_, _, _, below))) =>
      EmitOnChangeKeyExec(
        save.keyExpressions, save.stateInfo, save.outputMode, save.eventTimeWatermarkForLateEvents,
        save.eventTimeWatermarkForEviction, state, output, ordered(withoutStateColumns(below)))
    case other => throw StateColumnsExec.notReplaced(other)
  }

  /**
   * Sorts the rows of each partition by ORDER BY. Rows with equal values of it are sorted by all
   * their columns, so that a replayed micro-batch has the same order. Columns whose values have no
   * order, such as maps, are sorted by a hash of their bytes.
   */
  private def ordered(rows: SparkPlan): SparkPlan = state.ordering.fold(rows) { orderBy =>
    val (sortable, others) =
      rows.output.partition(column => RowOrdering.isOrderable(column.dataType))
    val hash = if (others.isEmpty) Nil else Seq(ContentHash(others, 0))
    val order = (orderBy +: sortable) ++ hash
    SortExec(order.map(SortOrder(_, Ascending)), global = false, rows)
  }

  /** Removes the lower [[StateColumnsExec]], above which Spark may have put an Exchange. */
  private def withoutStateColumns(below: SparkPlan): SparkPlan = below match {
    case StateColumnsExec(_, rows) => rows
    case exchange => exchange.mapChildren(withoutStateColumns)
  }

  override protected def doExecute(): RDD[InternalRow] = throw StateColumnsExec.notReplaced(this)

  override protected def withNewChildInternal(newChild: SparkPlan): StateInfoPlaceholderExec =
    copy(child = newChild)
}

object StateInfoPlaceholderExec {

  /** The format of the state of aggregations since Spark 2.4; values do not repeat the keys. */
  private val STATE_FORMAT = 2

  /**
   * Plans the placeholder and Spark's operators below it.
   *
   * @param rows the rows of the query
   * @param output their columns, and that of WITH CHANGE TYPE if it is given
   */
  def plan(state: KeyState, rows: SparkPlan, output: Seq[Attribute]): SparkPlan = {
    val restore =
      StateStoreRestoreExec(state.keys, None, STATE_FORMAT, StateColumnsExec(state.columns, rows))
    val save = StateStoreSaveExec(state.keys, None, None, None, None, STATE_FORMAT,
      StateColumnsExec(state.columns, restore))
    StateInfoPlaceholderExec(output, state, save)
  }
}
