package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

import io.eddyline.spark.globaltable.version.PinnedTable

/** Finds the global tables that physical operators read. */
private[spark] object GlobalTableUses {
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
    case leaf if leaf.children.isEmpty =>
      leaf.logicalLink.toSeq.flatMap(PinnedTable.in).map(scanned)
    case _ => Nil
  }

  private def scanned(pin: PinnedTable): GlobalTableUse = GlobalTableUse(
    pin.id.shortName, pin.version.map(_.name), None, pin.version.flatMap(_.rows),
    pin.version.flatMap(_.bytes), pin.table.age, None, pin.table.lastError)
}
