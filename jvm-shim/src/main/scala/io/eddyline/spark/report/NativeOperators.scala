package io.eddyline.spark.report

import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{ColumnarToRowTransition, SparkPlan}
import org.apache.spark.sql.execution.streaming.runtime.StreamingRelationExec

import io.eddyline.spark.assume.claim.ClaimText
import io.eddyline.spark.assume.units.NativeUnitsExec
import io.eddyline.spark.base.Comet

/** Finds the operators that DataFusion Comet runs natively, and why it does not run others. */
private[report] object NativeOperators {

  /** What Comet says of an operator that it leaves to Spark. Tags of one name are equal. */
  private val REASONS = TreeNodeTag[Set[String]]("CometFallbackReasons")

  /**
   * Returns a finding for all native operators, and one for each operator that is not. There is
   * none of a stream that has not started: Comet takes another plan than that of a micro-batch.
   */
  def of(places: Seq[OperatorWithParents]): Seq[NativeFinding] =
    if (places.exists(_.operator.isInstanceOf[StreamingRelationExec])) Nil else ofBatch(places)

  private def ofBatch(places: Seq[OperatorWithParents]): Seq[NativeFinding] = {
    val run = places.filterNot(_.above.exists(isNativeClaim)).map(_.operator)
    val (native, others) = run.partition(Comet.runs)
    val names = native.filterNot(_.isInstanceOf[ColumnarToRowTransition]).map(name).distinct
    val all = Option.when(names.nonEmpty)(NativeFinding(names.mkString(", "), "NATIVE", None))
    (all ++ others.flatMap(left)).toSeq.distinct
  }

  /** Whether the operators below stand for a claim, and Comet reads in their place. */
  private def isNativeClaim(operator: SparkPlan): Boolean = operator match {
    case claim: NativeUnitsExec => Comet.runs(claim)
    case _ => false
  }

  private def left(operator: SparkPlan): Option[NativeFinding] =
    operator.getTagValue(REASONS).filter(_.nonEmpty).map(reasons =>
      NativeFinding(name(operator), "SPARK", Some(reasons.toSeq.sorted.mkString("; "))))

  private def name(operator: SparkPlan): String = ClaimText.operator(operator).takeWhile(_ != ' ')
}
