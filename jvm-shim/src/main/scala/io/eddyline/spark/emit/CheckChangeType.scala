package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.emit.clause.Emit

/**
 * Checks WITH CHANGE TYPE: the name of its column, and that EMIT sees each row that leaves the
 * result.
 *
 * Errors, at the clause: EDDYLINE_EMIT.CHANGE_TYPE_EXISTS, CHANGE_TYPE_MISSING,
 * CHANGE_TYPE_OVER_FILTER, HEARTBEAT_OVER_FILTER.
 */
private[emit] object CheckChangeType {

  /** Checks the name of the column, also in a batch query. */
  def checkName(emit: Emit): Unit = {
    if (emit.deletes.nonEmpty && emit.changeType.isEmpty) emit.fail("CHANGE_TYPE_MISSING")
    emit.changeType.foreach { change =>
      if (hasColumn(emit, change.name)) {
        val free = ("kind" +: LazyList.from(2).map(i => s"kind_$i")).find(!hasColumn(emit, _)).get
        emit.fail("CHANGE_TYPE_EXISTS", "column" -> change.name, "free" -> free)
      }
    }
  }

  private def hasColumn(emit: Emit, name: String): Boolean =
    emit.resultAttributes.exists(column => SQLConf.get.resolver(column.name, name))

  /** Checks a streaming query. */
  def apply(emit: Emit): Unit = {
    val condition =
      if (emit.changeType.nonEmpty && emit.isKeyed) Some("CHANGE_TYPE_OVER_FILTER")
      else emit.heartbeat.map(_ => "HEARTBEAT_OVER_FILTER")
    for (name <- condition; node <- emit.child.find(hidesResults)) {
      emit.fail(name, "operator" -> node.nodeName)
    }
  }

  /** Whether a node may remove the row of a group that was updated. */
  private def hidesResults(node: LogicalPlan): Boolean = node match {
    case _: Project | _: Aggregate | _: Distinct | _: Union | _: Sort => false
    case _: SubqueryAlias | _: View | _: EventTimeWatermark => false
    case _ => node.children.exists(Emit.aggregatesStream)
  }
}
