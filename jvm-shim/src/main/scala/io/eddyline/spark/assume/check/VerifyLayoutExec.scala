package io.eddyline.spark.assume.check

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.SQLMetric

import io.eddyline.spark.assume.claim.{ClaimState, ClaimText, Enforcement}
import io.eddyline.spark.assume.units.{FileVersion, UnitScanExec}
import io.eddyline.spark.assume.verdict.Verdict
import io.eddyline.spark.base.EddylineErrors

/**
 * Checks before the first row whether equal keys lie in units with the same number, in all
 * relations of one layout that the same stage reads. A false layout fails the query, since a
 * shuffle cannot take its place: nothing but the layout says to which unit a key belongs.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.LAYOUT_VIOLATED, LAYOUT_NOT_PROVEN.
 *
 * @param child a [[UnitScanExec]] with numbered units, possibly below a `ColumnarToRowExec`; or a
 *              cached relation
 */
case class VerifyLayoutExec(keys: Seq[Expression], enforcement: Enforcement, child: SparkPlan)
  extends VerifyExec {

  override lazy val metrics: Map[String, SQLMetric] = checkMetrics

  /** The scan below. A cached relation hides its scan, so above one it is the scan of a peer. */
  def units: UnitScanExec = child.collectFirst { case units: UnitScanExec => units }
    .orElse(recordedPeers.headOption.map(_.units))
    .getOrElse(throw new IllegalStateException(s"no units: ${child.nodeName}"))

  /** The checks of the layout in this stage; none before [[GroupLayoutChecks]] has found them. */
  private def recordedPeers: Seq[VerifyLayoutExec] =
    ClaimState.of(this).layoutPeers.collect { case peer: VerifyLayoutExec => peer }

  @transient override lazy val isConfirmed: Boolean = {
    val peers = if (recordedPeers.nonEmpty) recordedPeers else Seq(this)
    val ownScans = child.collect { case units: UnitScanExec => units } // may list other files
    val check = new LayoutVerifier(peers.map(_.units))
    val verdict = measured(check.run()) match {
      case Verdict.Holds if !check.covers(ownScans.flatMap(_.files)) => Verdict.FilesChanged
      case found => found
    }
    postMetrics()
    ClaimState.update(this)(_.copy(verdict = Some(verdict.text)))
    verdict match {
      case Verdict.Holds => true
      case Verdict.Violated(key, file1, file2) => fail("LAYOUT_VIOLATED", peers,
          "key" -> key, "file1" -> nameOf(peers, file1), "file2" -> nameOf(peers, file2))
      case Verdict.TooManyKeys(limit) =>
        notProven(peers, s"there are more than $limit keys",
          "Set spark.eddyline.assume.check.maxKeys higher, or claim NOT ENFORCED.")
      case Verdict.ResultsTooLarge =>
        notProven(peers, "their keys exceed spark.driver.maxResultSize",
          "Set that higher, or claim NOT ENFORCED.")
      case _ =>
        notProven(peers, "their files have changed since they were listed",
          "Run REFRESH TABLE for a table of the catalog, then run the query again; if it is a " +
            "DataFrame, create it again first.")
    }
  }

  override protected def doExecute(): RDD[InternalRow] = {
    require(isConfirmed) // fails the query if the claim is false or not proven
    child.execute()
  }

  private def nameOf(peers: Seq[VerifyLayoutExec], file: FileVersion): String =
    peers.map(_.units).find(_.files.contains(file)).fold(file.path)(_.nameOf(file))

  private def notProven(peers: Seq[VerifyLayoutExec], reason: String, hint: String): Nothing =
    fail("LAYOUT_NOT_PROVEN", peers, "reason" -> reason, "hint" -> hint)

  private def fail(
      condition: String, peers: Seq[VerifyLayoutExec], more: (String, String)*): Nothing = {
    val relations = peers.map(peer => ClaimText.relation(peer.units.scan)).distinct
    EddylineErrors.fail(s"EDDYLINE_ASSUME.$condition", origin,
      Seq("layout" -> units.layout.name.mkString, "relations" -> relations.mkString(" and ")) ++
        more: _*)
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)}${units.layout.sql} ${enforcement.sql}"

  override protected def withNewChildInternal(newChild: SparkPlan): VerifyLayoutExec =
    copy(child = newChild)
}
