package io.eddyline.spark.assume.report

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec

import io.eddyline.spark.assume.units.{KeyScan, NativeUnitsExec, UnitScanExec}

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
    case project: ProjectExec if isOverUnused(project) =>
      val kept = project.projectList.filter(column => needed.contains(column.toAttribute))
      withTags(project, project.copy(kept).mapChildren(narrowed(_, AttributeSet(kept))))
    case filter: FilterExec if isOverUnused(filter) =>
      filter.mapChildren(narrowed(_, needed ++ filter.references))
    case native: NativeUnitsExec if isOverUnused(native) => native.mapChildren(narrowed(_, needed))
    case units: UnitScanExec if isOverUnused(units) =>
      // keys that are partition columns are no columns of the files
      val unneeded = AttributeSet(units.keys) -- needed
      val scan = KeyScan.reading(units.scan)(!unneeded.contains(_))
      units.withNewChildren(Seq(withTags(units.scan, scan)))
    case other => other
  }

  private def isOverUnused(plan: SparkPlan): Boolean = plan match {
    case project: ProjectExec => isOverUnused(project.child)
    case filter: FilterExec => isOverUnused(filter.child)
    case native: NativeUnitsExec => isOverUnused(native.child)
    case units: UnitScanExec => !units.used && !units.isForeign
    case _ => false
  }

  private def withTags(before: SparkPlan, after: SparkPlan): SparkPlan = {
    after.copyTagsFrom(before)
    after
  }
}
