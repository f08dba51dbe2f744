package io.eddyline.spark.streamingquery.state

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.classic
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelation

import io.eddyline.spark.streamingquery.validation.{Checkpoint, MicroBatchPlanner}

/** The state that Spark plans for micro-batches in which some sources have no new rows. */
object PlannedStates {

  /** Returns the state for each set of sources without new rows; first that for none of them. */
  def of(session: SparkSession, sql: String): java.util.List[String] = {
    val own = session.asInstanceOf[classic.SparkSession]
    val query = SessionInternals.plan(own.sql(sql))
    val sources = query.collect { case source @ (_: StreamingRelation | _: StreamingRelationV2) =>
      source
    }
    val planner = new MicroBatchPlanner(own, new Checkpoint("no-checkpoint", own))
    sources.toSet.subsets().toSeq.sortBy(_.size)
      .map(silent => StateShape.of(planner.plan(without(query, silent))).toString).asJava
  }

  /** The plan as Spark makes it for a micro-batch without new rows of some sources. */
  private def without(query: LogicalPlan, silent: Set[LogicalPlan]): LogicalPlan =
    query.transform {
      case source if silent.contains(source) => LocalRelation(source.output, isStreaming = true)
    }
}
