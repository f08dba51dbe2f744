package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.eddyline.spark.assume.claim.AssumePartitionedBy

/**
 * Reduces the keys of a claim to the partition columns among them, if there are any. The claim
 * about these alone is stronger and true by construction, and the other keys need not be read. A
 * claim USING HASH keeps its keys, since the hash is computed from all of them.
 */
object NarrowAssume extends Rule[LogicalPlan] with AliasHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case claim: AssumePartitionedBy if !claim.layout.hashed =>
      val isPartition = partitionColumns(claim.keys, claim.child)
      val keys = claim.keys.zip(isPartition).collect { case (key, true) => key }
      if (keys.isEmpty || keys.size == claim.keys.size) claim else claim.over(claim.child, keys)
  }

  /** Returns for each key whether it is a partition column of a table without buckets. */
  private def partitionColumns(
      keys: Seq[Expression], plan: LogicalPlan): Seq[Boolean] = plan match {
    case Filter(_, child) => partitionColumns(keys, child)
    case Project(list, child) =>
      val aliases = getAliasMap(list)
      partitionColumns(keys.map(replaceAlias(_, aliases)), child)
    case relation: LogicalRelation =>
      val columns = relation.relation match {
        case files: HadoopFsRelation if files.bucketSpec.isEmpty =>
          AttributeSet(relation.resolve(files.partitionSchema, conf.resolver))
        case _ => AttributeSet.empty
      }
      keys.map { case a: Attribute => columns.contains(a); case _ => false }
    case _ => keys.map(_ => false)
  }
}
