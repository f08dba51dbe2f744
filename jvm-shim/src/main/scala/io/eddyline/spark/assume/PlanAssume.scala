package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{QueryStageExec, TableCacheQueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanExecBase

import io.eddyline.spark.assume.check.{VerifyClaimExec, VerifyExec, VerifyLayoutExec}
import io.eddyline.spark.assume.claim._
import io.eddyline.spark.assume.units._
import io.eddyline.spark.base.{EddylineConf, EddylineErrors}
import io.eddyline.spark.shim.PlanShim

/**
 * Plans a claim: plans its child, follows the keys down to the scan that reads them, and puts a
 * [[UnitScanExec]] over the scan. A claim that cannot be used leaves the child as it is, and the
 * node at which the keys end is tagged with a [[DroppedClaim]] and the reason. A claim about a
 * stream becomes a [[StreamUnitsExec]].
 *
 * Errors, at the clause: EDDYLINE_ASSUME.INVALID_OPTION.
 */
class PlanAssume(session: SparkSession) extends SparkStrategy with AliasHelper {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case claim: AssumePartitionedBy if claim.isStreaming =>
      claim.layout.size.toSeq.map { size =>
        CurrentOrigin.withOrigin(claim.origin) {
          // the planner that has watermarks plans the child
          StreamUnitsExec(claim.keys, claim.layout, size, planLater(claim.child))
        }
      }
    case claim: AssumePartitionedBy => planned(claim) :: Nil
    case _ => Nil
  }

  private def planned(claim: AssumePartitionedBy): SparkPlan = {
    val child = session.sessionState.planner.plan(claim.child).next()
    val unclaimable = DroppedClaim.of(claim)
    val plan = trace(claim.keys, child) match {
      case _ if unclaimable.nonEmpty =>
        unclaimable.fold(child)(DroppedClaims.add(child, child, _))
      case (end, _) if claim.unusable.nonEmpty =>
        claim.unusable.fold(child)(dropped(claim, child, end, _))
      case (scan: FileSourceScanExec, keys) => claimed(claim, child, scan, keys)
      case (end, _) if isDerived(claim, end) =>
        CurrentOrigin.withOrigin(claim.origin) {
          DerivedClaimExec(claim.keys, NamedExpression.newExprId, child)
        }
      case (end, _) => reason(claim, end).fold(child)(dropped(claim, child, end, _))
    }
    // the planner then tags the plan with the claim instead of with the claim's child
    if (!plan.isInstanceOf[DerivedClaimExec]) plan.unsetTagValue(SparkPlan.LOGICAL_PLAN_TAG)
    plan
  }

  /** Whether the claim is about rows that the query computes, and is to be trusted. */
  private def isDerived(claim: AssumePartitionedBy, end: SparkPlan): Boolean =
    claim.enforcement == Enforcement.NotEnforced && !claim.layout.isNumbered && (end match {
      case _: ClaimExec | _: VerifyExec | _: NativeUnitsExec => false
      case _: TableCacheQueryStageExec => false
      case _: QueryStageExec => true
      case other => !other.isInstanceOf[LeafExecNode]
    })

  /** Returns the node at which the keys of a claim end, and the keys over its columns. */
  private def trace(keys: Seq[Expression], plan: SparkPlan): (SparkPlan, Seq[Expression]) =
    plan match {
      case filter: FilterExec => trace(keys, filter.child)
      case ProjectExec(list, child) =>
        val aliases = getAliasMap(list)
        trace(keys.map(replaceAlias(_, aliases)), child)
      case end => (end, keys)
    }

  private def claimed(
      claim: AssumePartitionedBy, child: SparkPlan, scan: FileSourceScanExec, keys: Seq[Expression])
      : SparkPlan = {
    val partitionColumns = scan.relation.partitionSchema.fieldNames.toSeq
    // the attributes of the scan, since Spark compares partitionings with their qualifiers
    val columns = if (claim.layout.hashed) Nil
    else keys.flatMap { key =>
      scan.output.find(column =>
        key.semanticEquals(column) &&
          partitionColumns.exists(scan.conf.resolver(_, column.name)))
    }.distinct
    val names = keys.collect { case column: Attribute => column.name }
    val bucketed = scan.bucketedScan && scan.relation.bucketSpec.exists(
      _.bucketColumnNames.forall(column => names.exists(scan.conf.resolver(_, column))))
    val proof = if (columns.nonEmpty) Proof.Structural else claim.enforcement.proof(claim.layout)
    lazy val native = if (isForced) None else ThirdPartyScans.of(scan, session)
    val unusable =
      if (bucketed) Some("not needed, the table is bucketed by its keys")
      else if (!keys.forall(_.deterministic)) Some("its keys are not deterministic")
      else native.flatMap(_.left.toOption)
    val listed = scan.copy(disableBucketedScan = true)
    lazy val planned = ScanUnits.of(listed, columns, claim.layout)
    unusable.orElse {
      requireSize(claim, planned)
      fileWithoutUnit(claim, planned)
    }.orElse(if (isForced) None else UnitCost.reason(planned, session)) match {
      case Some(reason) => dropped(claim, child, scan, reason)
      case None =>
        val units = CurrentOrigin.withOrigin(claim.origin) {
          UnitScanExec(keys, columns, claim.layout, proof, NamedExpression.newExprId,
            used = true, listed.copy())(planned)
        }
        val checked = withCheck(claim, units)
        val reader = native.flatMap(_.toOption).fold(checked)(_.read(checked))
        child.transformUp { case node if node eq scan => reader }
    }
  }

  private def isForced: Boolean = session.sessionState.conf.getConf(EddylineConf.ASSUME_FORCE)

  /** Refuses INTO n PARTITIONS where the units do not have the numbers 0 to n - 1. */
  private def requireSize(claim: AssumePartitionedBy, units: ScanUnits): Unit = {
    val reason = units match {
      case byValue: PartitionValueUnits =>
        Some(s"a unit is a value of (${ClaimText.keys(byValue.columns)})")
      case _ => fileWithoutUnit(claim, units).filter(_ => claim.enforcement.failsQuery)
    }
    claim.layout.size.zip(reason).foreach { case (size, why) =>
      EddylineErrors.fail("EDDYLINE_ASSUME.INVALID_OPTION", claim.origin,
        "option" -> s"INTO $size PARTITIONS", "reason" -> why,
        "hint" -> "Leave INTO … PARTITIONS out, or write the data again.")
    }
  }

  /** Returns why a file is in no numbered unit; None if all are in one or units have no numbers. */
  private def fileWithoutUnit(claim: AssumePartitionedBy, units: ScanUnits): Option[String] =
    units match {
      case numbered: NumberedUnits => numbered.fileWithoutUnit.map { file =>
          claim.layout.size.fold(s"$file has no part number")(n => s"$file is not one of $n parts")
        }
      case _ => None
    }

  /** Returns a scan by units with the check that it needs. */
  private def withCheck(claim: AssumePartitionedBy, units: UnitScanExec): SparkPlan =
    CurrentOrigin.withOrigin(claim.origin) {
      units.proof match {
        case Proof.Structural | Proof.Trusted => units
        case Proof.Checked if units.layout.name.isDefined =>
          VerifyLayoutExec(units.keys, claim.enforcement, units)
        case _ => VerifyClaimExec(units.keys, claim.enforcement, units)
      }
    }

  /** Returns the child of a claim that is dropped at one of its nodes, `end`. */
  private def dropped(
      claim: AssumePartitionedBy, child: SparkPlan, end: SparkPlan, reason: String): SparkPlan = {
    val relation = Some(end).collect { case scan: FileSourceScanExec => ClaimText.relation(scan) }
    DroppedClaims.add(
      child, end, DroppedClaim(claim.keys, claim.layout, relation, reason, claim.origin))
  }

  /** Returns why a claim that ends at a node cannot be used; None if another node says so. */
  private def reason(claim: AssumePartitionedBy, end: SparkPlan): Option[String] = end match {
    case _: QueryStageExec => None
    case _: ClaimExec | _: VerifyExec | _: NativeUnitsExec =>
      Some("the relation carries another claim")
    case _: InMemoryTableScanExec => Some("the relation is cached, as it was partitioned then")
    case scan: DataSourceV2ScanExecBase => scan.outputPartitioning match {
        case _: PlanShim.Keyed => Some("the source itself tells Spark how it is partitioned")
        case _ => Some("the source is a DataSource V2, which tells Spark nothing of its partitions")
      }
    case leaf: LeafExecNode => Some(s"${ClaimText.operator(leaf)} reads no files of a table")
    case other if claim.layout.isNumbered =>
      Some(s"the rows of ${ClaimText.operator(other)} lie in no files with a number")
    case other =>
      Some(s"it cannot be checked above ${ClaimText.operator(other)}, only be NOT ENFORCED")
  }
}
