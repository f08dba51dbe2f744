package io.eddyline.spark.assume.report

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.assume.units.UnitScanExec

/**
 * Takes the keys of claims that nothing uses out of the scans, unless the query needs them itself.
 * Until it is known what becomes of a claim its keys are kept, so these scans would read columns
 * that plain Spark does not.
 */
private[report] object PruneUnusedKeys {

  def apply(plan: SparkPlan): SparkPlan = plan.transformDown {
    case parent @ (_: ProjectExec | _: BaseAggregateExec) =>
      parent.mapChildren(narrowed(_, parent.references))
  }

  /** Returns projections and filters over an unused scan without the keys that are not needed. */
  private def narrowed(plan: SparkPlan, needed: AttributeSet): SparkPlan = plan match {
    case project @ ProjectExec(columns, child) if isOverUnused(child) =>
      val kept = columns.filter(column => needed.contains(column.toAttribute))
      withTags(project, project.copy(kept, narrowed(child, AttributeSet(kept))))
    case filter @ FilterExec(condition, child) if isOverUnused(child) =>
      val below = narrowed(child, needed ++ condition.references)
      withTags(filter, filter.copy(child = below))
    case units: UnitScanExec if isOverUnused(units) =>
      withTags(units, units.copy(child = narrowed(units.scan, units.keys, needed))(units.planned))
    case other => other
  }

  private def isOverUnused(plan: SparkPlan): Boolean = plan match {
    case project: ProjectExec => isOverUnused(project.child)
    case filter: FilterExec => isOverUnused(filter.child)
    case units: UnitScanExec => !units.used && !units.isForeign
    case _ => false
  }

  /** Returns a scan without the keys that are columns of its files and not needed. */
  private def narrowed(
      scan: FileSourceScanExec, keys: Seq[Expression], needed: AttributeSet): FileSourceScanExec = {
    val unneeded = AttributeSet(keys) -- needed
    // the reader adds partition columns and metadata after the columns of the files
    val (read, added) = scan.output.splitAt(scan.requiredSchema.size)
    val kept = read.zip(scan.requiredSchema).filterNot { case (column, _) =>
      unneeded.contains(column)
    }
    withTags(scan,
      scan.copy(
        output = kept.map(_._1) ++ added, requiredSchema = StructType(kept.map(_._2))))
  }

  private def withTags[P <: SparkPlan](before: SparkPlan, after: P): P = {
    after.copyTagsFrom(before)
    after
  }
}
