package io.eddyline.spark.assume

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.SQLMetric

import io.eddyline.spark.EddylineErrors

/**
 * Checks before the first row whether equal keys lie in units of one number, in all relations of a
 * layout that meet in a plan. No shuffle can take the place of a layout, so a false claim fails.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.LAYOUT_VIOLATED, LAYOUT_NOT_PROVEN.
 *
 * @param keys over the columns of the scan
 * @param child the numbered units, a [[UnitScanExec]] with what turns vectors into rows
 */
case class CheckLayoutExec(keys: Seq[Expression], enforcement: Enforcement, child: SparkPlan)
  extends CheckExec {

  override lazy val metrics: Map[String, SQLMetric] = checkMetrics

  /** Its own, or above a cached relation those of another side. */
  def units: UnitScanExec = child.collectFirst { case units: UnitScanExec => units }
    .orElse(getTagValue(CheckLayoutExec.SIDES).flatMap(_.headOption.map(_.units)))
    .getOrElse(throw new IllegalStateException(s"no units: ${child.nodeName}"))

  override protected def doExecute(): RDD[InternalRow] = {
    val sides = getTagValue(CheckLayoutExec.SIDES).getOrElse(Seq(this))
    val every = sides.map(_.enforcement.every).min
    val own = child.collect { case units: UnitScanExec => units }
    val check = new LayoutCheck(sides.map(_.units), every)
    val verdict = measured(check.run()) match {
      case Verdict.Holds if !check.covers(own.flatMap(_.files)) => Verdict.FilesChanged
      case found => found
    }
    postMetrics()
    setTagValue(ReportAssumptions.VERDICT, verdict.text)
    verdict match {
      case Verdict.Holds =>
        own.foreach(_.requireUnchanged())
        child.execute()
      case Verdict.Violated(key, file1, file2) => throw failure("LAYOUT_VIOLATED", sides,
          "key" -> key, "file1" -> nameOf(sides, file1), "file2" -> nameOf(sides, file2))
      case Verdict.TooManyKeys(limit) =>
        throw failure("LAYOUT_NOT_PROVEN", sides, "reason" -> s"there are more than $limit keys")
      case Verdict.ResultsTooLarge =>
        throw failure("LAYOUT_NOT_PROVEN", sides,
          "reason" -> "their keys exceed spark.driver.maxResultSize")
      case _ =>
        throw failure("LAYOUT_NOT_PROVEN", sides,
          "reason" -> "their files have changed since they were listed")
    }
  }

  private def nameOf(sides: Seq[CheckLayoutExec], file: FileVersion): String =
    sides.map(_.units).find(_.files.contains(file)).fold(file.path)(_.nameOf(file))

  private def failure(
      condition: String, sides: Seq[CheckLayoutExec], more: (String, String)*): Throwable = {
    val relations = sides.map(side => ClaimText.relation(side.units.scan)).distinct
    EddylineErrors.analysis(s"EDDYLINE_ASSUME.$condition",
      Map(
        "layout" -> units.layout.name.mkString,
        "relations" -> relations.mkString(" and ")) ++ more,
      origin)
  }

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)}${units.layout.sql} ${enforcement.sql}"

  override protected def withNewChildInternal(newChild: SparkPlan): CheckLayoutExec =
    copy(child = newChild)
}

object CheckLayoutExec {
  /** All checks of the layout that meet without an Exchange. */
  val SIDES: TreeNodeTag[Seq[CheckLayoutExec]] = TreeNodeTag("eddyline.assume.sides")
}
