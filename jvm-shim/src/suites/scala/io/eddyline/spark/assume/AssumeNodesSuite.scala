package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.exchange.ENSURE_REQUIREMENTS

import io.eddyline.spark.TreeContract
import io.eddyline.spark.assume.check._
import io.eddyline.spark.assume.claim.{AssumePartitionedBy, Enforcement, Layout, Proof}
import io.eddyline.spark.assume.units._
import io.eddyline.spark.TreeContract.Columns

class AssumeNodesSuite extends TreeContract("assume") {
  private lazy val layout = Layout(name = Some("l"), size = Some(4))

  private object Planned extends ScanUnits(scan = null) {
    override def ids: Seq[Any] = Seq("a", "b")
    override def sizes: Seq[Long] = Seq(1, 2)
    override protected def idOf(file: PartitionedFile): Any = file.filePath
    override def fileOutsideOf(planned: ScanUnits): Option[String] = None
  }

  private def unitScan(columns: Columns): UnitScanExec = UnitScanExec(Seq(columns.key), Nil, layout,
    Proof.Checked, claimId = columns.key.exprId, used = true, columns.scan)(Planned)

  override protected def examples(columns: Columns): Seq[TreeNode[_]] = {
    import columns._
    Seq(
      AssumePartitionedBy(Seq(key), layout, Enforcement.Fail, relation, unusable = Some("why")),
      AssumedPartitioning(Seq(key, value), 4, claimId = ExprId(7)),
      TryKey(key),
      unitScan(columns),
      DerivedClaimExec(Seq(key), claimId = key.exprId, scan),
      StreamUnitsExec(Seq(key), layout, 4, scan),
      VerifyClaimExec(Seq(key), Enforcement.Fail, unitScan(columns), keysCollectedAbove = true),
      VerifyLayoutExec(Seq(key), Enforcement.Fail, unitScan(columns)),
      CollectKeysExec(Seq(key), scan),
      CheckedExchangeExec(HashPartitioning(Seq(key), 4), scan, ENSURE_REQUIREMENTS, Some(64)))
  }

  test("a scan keeps the units by which it was planned in every copy") {
    val scan = unitScan(new Columns)
    val moved = scan.withNewChildren(Seq(new Columns().scan))
    val copies = Seq(scan.clone(), moved, scan.canonicalized, scan.copy(used = false)(Planned))
    assert(copies.map { case copy: UnitScanExec => copy.planned }.forall(_ eq Planned))
  }
}
