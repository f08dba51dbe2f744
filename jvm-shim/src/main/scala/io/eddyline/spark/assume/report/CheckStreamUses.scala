package io.eddyline.spark.assume.report

import org.apache.spark.sql.catalyst.plans.physical.StatefulOpClusteredDistribution
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.streaming.operators.stateful._

import io.eddyline.spark.assume.claim.ClaimText
import io.eddyline.spark.assume.units.StreamUnitsExec
import io.eddyline.spark.base.{EddylineErrors, RealTime}
import io.eddyline.spark.shim.RealTimeShim

/**
 * Refuses a streaming query that uses a claim for anything but an aggregation by its keys. It runs
 * for the plan of each micro-batch, after Spark has inserted every Exchange.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.STATE_PARTITIONS, STREAMING_NOT_SUPPORTED.
 */
object CheckStreamUses extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = plan => {
    visit(plan, Nil)
    plan
  }

  private def visit(plan: SparkPlan, above: List[SparkPlan]): Unit = { // the nearest first
    plan match {
      case units: StreamUnitsExec => check(units, above)
      case _ =>
    }
    plan.children.foreach(visit(_, plan :: above))
  }

  private def check(units: StreamUnitsExec, above: List[SparkPlan]): Unit = {
    val state = above.collectFirst { case operator: StatefulOperator => operator }
    state.flatMap(_.stateInfo).map(_.numPartitions).filter(_ != units.size).foreach { partitions =>
      EddylineErrors.fail("EDDYLINE_ASSUME.STATE_PARTITIONS", units.origin,
        "keys" -> ClaimText.sql(units.keys), "layout" -> units.layout.sql,
        "partitions" -> partitions.toString, "size" -> units.size.toString)
    }
    reasonToRefuse(units, above).foreach { reason =>
      EddylineErrors.fail("EDDYLINE_ASSUME.STREAMING_NOT_SUPPORTED", units.origin,
        "reason" -> reason,
        "hint" -> s"Aggregate by exactly (${ClaimText.sql(units.keys)}), or leave ASSUME out.")
    }
  }

  /** Returns why the claim may not be used as the plan uses it; None if it may. */
  private def reasonToRefuse(units: StreamUnitsExec, above: List[SparkPlan]): Option[String] =
    above.dropWhile(mayStandBelowState).headOption match {
      case Some(state @ (_: StateStoreRestoreExec | RealTimeShim.Aggregation(_, _, _))) =>
        state.requiredChildDistribution.head match {
          case _ if RealTime.readsStream(units) && above.exists(_.isInstanceOf[UnionExec]) =>
            Some("a task of real-time mode would read one branch after the end of another")
          case _: StatefulOpClusteredDistribution => None
          case _ => Some("a Spark before 3.3 has begun the state, which may lie by other keys")
        }
      case Some(_: Exchange) => Some("Spark shuffles its rows all the same")
      case Some(operator) if above.exists(_.isInstanceOf[StatefulOperator]) =>
        Some(s"it stands below ${ClaimText.operator(operator)}")
      case _ => Some("no aggregation above it needs the rows of a key together")
    }

  private def mayStandBelowState(operator: SparkPlan): Boolean = operator match {
    case _: StatefulOperator => false
    case _: ProjectExec | _: FilterExec | _: UnionExec | _: BaseAggregateExec | _: SortExec => true
    case _ => false
  }
}
