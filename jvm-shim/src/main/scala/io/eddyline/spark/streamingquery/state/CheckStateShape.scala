package io.eddyline.spark.streamingquery.state

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreWriter

import io.eddyline.spark.base._

/**
 * Compares the state that a micro-batch has planned with that of the checkpoint, before its first
 * task. Spark compares types alone, and those only in the first micro-batch of a run, before this
 * rule. So where the checkpoint has no shape that is comparable, as one of an earlier version, the
 * shape of that micro-batch is written.
 *
 * Plans that are only shown or compared belong to no run, so nothing is written for them.
 *
 * Errors: those of [[StateMismatch]] and of [[CheckpointFile]].
 */
case class CheckStateShape(session: SparkSession) extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = plan => {
    for {
      state <- plan.collectFirst { case writer: StateStoreWriter => writer }.flatMap(_.stateInfo)
      micro <- MicroBatch.current(session)
      if state.queryRunId == micro.run && MicroBatch.plan(session).exists(CheckedQuery.isIn)
    } check(StateShape.of(plan), micro)
    plan
  }

  private def check(planned: StateShape, micro: MicroBatch): Unit = {
    val stored = CheckStateShape.runs.of(session, micro.run)
      .computeIfAbsent(micro.run, _ => storedOr(planned, micro))
    stored.differenceTo(planned).foreach { reason =>
      val checkpoint = CheckpointGeneration.checkpointOf(
        new Path(micro.checkpoint), session.sessionState.newHadoopConf()).toString
      throw StateMismatch(Redaction.text(session.sessionState.conf, checkpoint), reason)
    }
  }

  /** The shape in the checkpoint; a query that has committed nothing has no state to compare. */
  private def storedOr(planned: StateShape, micro: MicroBatch): StateShape = {
    val file = new CheckpointFile[StateShape](
      new Path(micro.checkpoint), "shape.json", session.sessionState.newHadoopConf())
    val stored = if (micro.batch == 0) None else file.read()
    stored.filter(_.isComparable(planned)).getOrElse {
      file.write(planned)
      planned
    }
  }
}

object CheckStateShape {
  private val runs = new PerRun[StateShape]
}

/**
 * The error of a query whose state is not that of its checkpoint, whether eddyline or Spark finds
 * it out.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.STATE_DIFFERS.
 */
private[streamingquery] object StateMismatch {

  /** The conditions of Spark's own check, in the first micro-batch of a run. */
  private val CONDITIONS = Set(
    "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE", "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE",
    "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA")

  def apply(checkpoint: String, reason: String): Throwable = EddylineErrors.analysis(
    "EDDYLINE_STREAMING_QUERY.STATE_DIFFERS", Map("checkpoint" -> checkpoint, "reason" -> reason))

  /** Returns Spark's error of such a query as that of eddyline, and any other as it is. */
  def named(error: Throwable, checkpoint: String): Throwable =
    EddylineErrors.causes(error).collectFirst {
      case found: Throwable with SparkThrowable if CONDITIONS(found.getCondition) =>
        apply(checkpoint, found.getMessage.linesIterator.next().stripSuffix("."))
    }.getOrElse(error)
}
