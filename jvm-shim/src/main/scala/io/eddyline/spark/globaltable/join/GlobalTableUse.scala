package io.eddyline.spark.globaltable.join

import org.apache.hadoop.util.StringUtils.byteDesc
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

import io.eddyline.spark.globaltable.version.PinnedTable

/**
 * How a plan reads a version of a global table, for reports.
 *
 * @param version None in EXPLAIN, if nothing has loaded the table yet
 * @param keys the keys of the lookup; None: the version is scanned
 * @param rows number of rows in the replica or the version; None if unknown
 * @param bytes size of the replica in memory or of the version's files; None if unknown
 * @param age time since the version was last confirmed, in milliseconds; None: never
 * @param isHit whether the replica existed before the query; None: there is none
 * @param lastError error of the table's last refresh, without secrets; None if it succeeded
 */
private[spark] case class GlobalTableUse(
    table: String,
    version: Option[String],
    keys: Option[Seq[String]],
    rows: Option[Long],
    bytes: Option[Long],
    age: Option[Long],
    isHit: Option[Boolean],
    lastError: Option[String]) {

  def sentence: String = describe(s"$table@${version.getOrElse("<not loaded>")}")

  /** Describes the use in a line of a plan, after the names of the tables and versions. */
  private[join] def describe(label: String): String = {
    val replica = isHit.map(hit => s"replica=${if (hit) "hit" else "build"}")
    (Seq(label, keys.fold("scan")(_.mkString("keys=[", ", ", "]"))) ++ Seq(
      s"rows=${rows.fold("?")(_.toString)}",
      s"bytes=${bytes.fold("?")(byteDesc(_))}",
      s"age=${age.fold("?")(ms => s"${ms / 1000} s")}") ++ replica :+
      s"last_error=${lastError.getOrElse("-")}").mkString(" ")
  }
}

private[spark] object GlobalTableUse {
  private val NO_LOOKUP = TreeNodeTag[String]("eddyline.globalTable.noLookup")

  /** Records why a join with a global table is not a lookup, as a sentence without a full stop. */
  private[join] def notLookedUp(join: Join, reason: String): Unit =
    join.setTagValue(NO_LOOKUP, reason)

  /** Why the join that a physical operator runs is not a lookup; None if it is one. */
  def whyNoLookup(operator: SparkPlan): Option[String] = operator.logicalLink.collect {
    case join: Join => join.getTagValue(NO_LOOKUP)
  }.flatten

  /** The global tables that an operator looks up or scans. */
  def of(operator: SparkPlan): Seq[GlobalTableUse] = operator match {
    case lookup: GlobalLookupExec => lookup.uses
    case leaf if leaf.children.isEmpty => leaf.logicalLink.toSeq.flatMap(pins).map(scanned)
    case _ => Nil
  }

  private def pins(plan: LogicalPlan): Seq[PinnedTable] =
    plan.collect { case pinned: PinnedTable => pinned }

  private def scanned(pin: PinnedTable): GlobalTableUse = GlobalTableUse(
    pin.id.shortName, pin.version.map(_.name), None, pin.version.flatMap(_.rows),
    pin.version.flatMap(_.bytes), pin.table.age, None, pin.table.lastError)
}
