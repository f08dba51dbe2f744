package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Partitioning}
import org.apache.spark.sql.execution.UnaryExecNode

/** An operator that reports a claim as its partitioning. */
trait ClaimExec extends UnaryExecNode {
  /** As claimed. */
  def keys: Seq[Expression]

  /** What one task reads the rows of a key by. */
  def unitKeys: Seq[Expression]

  /** Whether it is the claim by which a partitioning above is what an operator needs. */
  def serves(need: ClusteredDistribution, partitioning: Partitioning): Boolean

  override def nodeName: String = "AssumePartitionedBy"

  protected def usesText: String =
    getTagValue(ReportAssumptions.USES).fold("")(_.mkString(" {", "; ", "}"))

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${simpleString(conf.maxToStringFields)}
       |""".stripMargin
}
