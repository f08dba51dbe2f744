package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Partitioning}
import org.apache.spark.sql.execution.UnaryExecNode

import io.eddyline.spark.assume.claim.ClaimState

/** An operator that reports a claim to Spark, as its partitioning. */
trait ClaimExec extends UnaryExecNode {

  /** The claimed keys, over the columns of the child. */
  def keys: Seq[Expression]

  /** The keys by which rows are in units: one task reads all rows whose unit keys are equal. */
  def unitKeys: Seq[Expression]

  /** Whether `partitioning` satisfies `required` because of this claim. */
  def serves(required: ClusteredDistribution, partitioning: Partitioning): Boolean

  override def nodeName: String = "AssumePartitionedBy"

  protected def usesText: String = ClaimState.of(this).uses.fold("")(_.mkString(" {", "; ", "}"))

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${simpleString(conf.maxToStringFields)}
       |""".stripMargin
}
