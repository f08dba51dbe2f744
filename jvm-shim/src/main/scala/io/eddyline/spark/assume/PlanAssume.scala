package io.eddyline.spark.assume

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanExecBase

import io.eddyline.spark.EddylineConf

/**
 * Plans a claim: follows its keys down the planned child to the scan that reads them, and puts a
 * [[UnitScanExec]] over the scan. The leaf decides, so the child is planned here and not later.
 * A claim without units leaves the child as it is, with the reason on the node where it ended.
 */
class PlanAssume(session: SparkSession) extends SparkStrategy with AliasHelper {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case claim: AssumePartitionedBy => planned(claim) :: Nil
    case _ => Nil
  }

  private def planned(claim: AssumePartitionedBy): SparkPlan = {
    val child = session.sessionState.planner.plan(claim.child).next()
    child.unsetTagValue(SparkPlan.LOGICAL_PLAN_TAG) // it becomes that of the claim
    val ofGlobalTable = DroppedClaim.ofGlobalTable(claim)
    trace(claim.keys, child) match {
      case _ if ofGlobalTable.nonEmpty =>
        ofGlobalTable.foreach(drop(child, _))
        child
      case Traced(scan: FileSourceScanExec, keys) => claimed(claim, child, scan, keys)
      case Traced(end, _) =>
        reason(end).foreach(drop(claim, end, _))
        child
    }
  }

  /** A node, and the keys as expressions over its output. */
  private case class Traced(node: SparkPlan, keys: Seq[Expression])

  private def trace(keys: Seq[Expression], plan: SparkPlan): Traced = plan match {
    case filter: FilterExec => trace(keys, filter.child)
    case ProjectExec(list, child) =>
      val aliases = getAliasMap(list)
      trace(keys.map(replaceAlias(_, aliases)), child)
    case end => Traced(end, keys)
  }

  private def claimed(
      claim: AssumePartitionedBy,
      child: SparkPlan,
      scan: FileSourceScanExec,
      keys: Seq[Expression]): SparkPlan = {
    val isPartition = scan.relation.partitionSchema.fieldNames.toSeq
    // the scan's own attributes: Spark compares partitionings with their qualifiers
    val columns = keys.flatMap { key =>
      scan.output.find(column => key.semanticEquals(column) &&
        isPartition.exists(scan.conf.resolver(_, column.name)))
    }.distinct
    val names = keys.collect { case column: Attribute => column.name }
    val bucketed = scan.bucketedScan && scan.relation.bucketSpec.exists(
      _.bucketColumnNames.forall(column => names.exists(scan.conf.resolver(_, column))))
    if (bucketed) {
      drop(claim, scan, "not needed, the table is bucketed by its keys")
      child
    } else {
      val proof = if (columns.nonEmpty) Proof.Structural else claim.enforcement.proof
      val units = CurrentOrigin.withOrigin(claim.origin) {
        UnitScanExec(keys, columns, proof, PlanAssume.layouts.incrementAndGet(),
          used = true, scan.copy(disableBucketedScan = true))
      }
      tooDear(units) match {
        case Some(reason) =>
          drop(claim, scan, reason)
          child
        case None => child.transformUp { case node if node eq scan => checked(claim, units) }
      }
    }
  }

  private def tooDear(units: UnitScanExec): Option[String] =
    if (units.conf.getConf(EddylineConf.ASSUME_FORCE)) None else UnitCost.reason(units, session)

  private def checked(claim: AssumePartitionedBy, units: UnitScanExec): SparkPlan =
    units.proof match {
      case Proof.Structural | Proof.Trusted => units
      case Proof.Checked | Proof.Sampled =>
        CurrentOrigin.withOrigin(claim.origin) {
          CheckUnitsExec(units.keys, claim.enforcement, units)
        }
    }

  private def drop(claim: AssumePartitionedBy, end: SparkPlan, reason: String): Unit =
    drop(end, DroppedClaim(claim.keys, None, reason, claim.origin))

  private def drop(end: SparkPlan, dropped: DroppedClaim): Unit =
    end.setTagValue(ReportAssumptions.DROPPED,
      end.getTagValue(ReportAssumptions.DROPPED).getOrElse(Nil) :+ dropped)

  /** Why a claim cannot be used that ends at the node; None if another node already says it. */
  private def reason(end: SparkPlan): Option[String] = end match {
    case _: QueryStageExec => None
    case _: UnitScanExec | _: CheckUnitsExec => Some("the relation carries another claim")
    case _: InMemoryTableScanExec => Some("the relation is cached, as it was partitioned then")
    case _: DataSourceV2ScanExecBase => Some("the source itself tells Spark how it is partitioned")
    case leaf: LeafExecNode => Some(s"${ReportAssumptions.name(leaf)} reads no files of a table")
    case other => Some(s"it ends at ${ReportAssumptions.name(other)}, above the scan")
  }
}

private object PlanAssume {
  private val layouts = new AtomicLong
}
