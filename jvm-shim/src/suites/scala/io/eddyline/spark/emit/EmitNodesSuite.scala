package io.eddyline.spark.emit

import java.time.Duration

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.OutputMode
import org.scalatest.BeforeAndAfterAll

import io.eddyline.spark.TreeContract
import io.eddyline.spark.emit.aggregate.{
  AggregationPhase, EmitMarkerExec, EmitOnChangeSessionsExec, GroupRows, StateAggregationExec,
  StateColumnsExec, StateToResult
}
import io.eddyline.spark.emit.clause._
import io.eddyline.spark.emit.keyed._
import io.eddyline.spark.TreeContract.Columns

class EmitNodesSuite extends TreeContract("emit") with BeforeAndAfterAll {
  private lazy val hour = Duration.ofHours(1)

  /** Spark's stateful operators have metrics, which a session registers. */
  private lazy val session = SparkSession.builder().master("local[1]")
    .config("spark.ui.enabled", "false").getOrCreate()

  override protected def afterAll(): Unit = {
    session.stop()
    SparkSession.clearActiveSession()
  }

  /** The operators have a state, which belongs to one place of one query. */
  override protected def isReused(node: QueryPlan[_]): Boolean = !node.isInstanceOf[SparkPlan]

  override protected def examples(columns: Columns): Seq[TreeNode[_]] = {
    import columns._
    SparkSession.setActiveSession(session)
    val tolerance = ColumnTolerance(value, Literal(5))
    val heartbeat = Heartbeat(CurrentTimestamp(), hour)
    val change = ChangeType("kind", before = true)
    val state = KeyState(all, Seq(key), Seq(value), hashed = false, Seq(tolerance),
      Some(value), None, Some(hour), Some(IsNull(text)), Some(heartbeat), Some(change))
    val phase = AggregationPhase(Seq(key), Nil, Nil, 0, Seq(key))
    val update = Some(OutputMode.Update())
    val append = Some(OutputMode.Append())
    Seq(
      tolerance,
      heartbeat,
      Emit(EmitStrategy.OnChange, Some(hour), Seq(value), Seq(text), Seq(key),
        Some(SortOrder(value, Ascending)), Some(hour), Some(IsNull(text)), Seq(tolerance),
        Some(heartbeat), Some(change), relation),
      StateInfoPlaceholderExec(all, state, scan),
      StateColumnsExec(Seq(key), scan),
      EmitMarkerExec(Some(Seq(value)), Some(change), scan),
      EmitOnChangeKeyExec(Seq(key), None, update, Some(1), Some(2), state, all, scan),
      StateAggregationExec(Seq(key), None, update, Some(1), Some(2), 2, all, Nil,
        GroupRows(all, None, Seq(phase)), phase, StateToResult(phase, Nil), all, Some(Seq(value)),
        Some(change), scan),
      EmitOnChangeSessionsExec(Seq(key), value, None, append, Some(1), Some(2), 1,
        StateToResult(phase, Nil), all, Seq(value), Some(change), scan))
  }
}
