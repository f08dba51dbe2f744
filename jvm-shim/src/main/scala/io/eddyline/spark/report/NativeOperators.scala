package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{ColumnarToRowTransition, SparkPlan}
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelationExec

import io.eddyline.spark.assume.claim.ClaimText
import io.eddyline.spark.assume.units.NativeUnitsExec
import io.eddyline.spark.base.Comet

/** Reports the operators that DataFusion Comet runs natively, and why it does not run others. */
private[report] object NativeOperators {

  /** Comet's tag with why it leaves an operator to Spark. Tags with one name are equal. */
  private val REASONS = TreeNodeTag[Set[String]]("CometFallbackReasons")

  /**
   * Returns a finding for all native operators, and one for each operator that Comet leaves to
   * Spark; none for a stream that has not started, whose plan is not that of a micro-batch.
   */
  def of(places: Seq[OperatorWithParents]): Seq[NativeFinding] = {
    val isStarted = !places.exists(_.operator.isInstanceOf[StreamingRelationExec])
    // without the operators of a claim in whose place Comet reads the files
    val run = places.filter(_ => isStarted).filterNot(_.parents.exists(parent =>
        parent.isInstanceOf[NativeUnitsExec] && Comet.runs(parent))).map(_.operator)
    val (native, others) = run.partition(Comet.runs)
    val names = native.filterNot(_.isInstanceOf[ColumnarToRowTransition]).map(name).distinct
    val all = Option.when(names.nonEmpty)(NativeFinding(names.mkString(", "), "NATIVE", None))
    (all ++ others.flatMap(leftToSpark)).toSeq.distinct
  }

  private def leftToSpark(operator: SparkPlan): Option[NativeFinding] =
    operator.getTagValue(REASONS).filter(_.nonEmpty).map(reasons =>
      NativeFinding(name(operator), "SPARK", Some(reasons.toSeq.sorted.mkString("; "))))

  private def name(operator: SparkPlan): String = ClaimText.operator(operator).takeWhile(_ != ' ')
}
