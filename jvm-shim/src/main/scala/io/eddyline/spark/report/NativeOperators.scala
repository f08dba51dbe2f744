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
   * Spark. Returns none for a stream that has not started, whose plan is not yet that of a
   * micro-batch.
   */
  def of(places: Seq[OperatorWithParents]): Seq[NativeFinding] =
    if (places.exists(_.operator.isInstanceOf[StreamingRelationExec])) Nil else ofBatch(places)

  private def ofBatch(places: Seq[OperatorWithParents]): Seq[NativeFinding] = {
    val run = places.filterNot(_.parents.exists(isNativeClaim)).map(_.operator)
    val (native, others) = run.partition(Comet.runs)
    val names = native.filterNot(_.isInstanceOf[ColumnarToRowTransition]).map(name).distinct
    val all = Option.when(names.nonEmpty)(NativeFinding(names.mkString(", "), "NATIVE", None))
    (all ++ others.flatMap(leftToSpark)).toSeq.distinct
  }

  /** Whether Comet reads files in the place of the operators below, which are those of a claim. */
  private def isNativeClaim(operator: SparkPlan): Boolean = operator match {
    case claim: NativeUnitsExec => Comet.runs(claim)
    case _ => false
  }

  private def leftToSpark(operator: SparkPlan): Option[NativeFinding] =
    operator.getTagValue(REASONS).filter(_.nonEmpty).map(reasons =>
      NativeFinding(name(operator), "SPARK", Some(reasons.toSeq.sorted.mkString("; "))))

  private def name(operator: SparkPlan): String = ClaimText.operator(operator).takeWhile(_ != ' ')
}
