package io.eddyline.spark.globaltable.join

import com.google.common.cache.CacheBuilder
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.{FullOuter, JoinType, LeftOuter, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, V2WriteCommand}
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.globaltable.catalog.{GlobalRelation, GlobalTableOptions, TableId}

/**
 * Rejects outer joins of a stream that keep the unmatched rows of a global table: whether a row is
 * unmatched is known only when the stream has ended. Warns of the first write into a global table,
 * whose rows queries do not see at once.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.JOIN_TYPE.
 */
object CheckGlobalTable extends (LogicalPlan => Unit) with Logging {

  /** The tables of the newest warnings. */
  private val warned = CacheBuilder.newBuilder().maximumSize(1000).build[TableId, TableId]().asMap

  override def apply(plan: LogicalPlan): Unit = plan.foreachWithSubqueries {
    case join @ Join(left, right, joinType, _, _)
        if left.isStreaming != right.isStreaming && preserves(join, joinType) =>
      val global = if (left.isStreaming) right else left
      val tables = global.collect { case GlobalRelation(relation) => relation.id.shortName }
      if (tables.nonEmpty) {
        EddylineErrors.fail("EDDYLINE_GLOBAL_TABLE.JOIN_TYPE", join.origin,
          "joinType" -> joinType.sql, "tables" -> tables.distinct.mkString(", "))
      }
    case write: V2WriteCommand => GlobalRelation.unapply(write.table)
        .foreach(relation => warn(relation.id, relation.options))
    case insert: InsertIntoHadoopFsRelationCommand =>
      insert.catalogTable.filter(table => GlobalTableOptions.isGlobal(table.properties))
        .foreach(table => warn(TableId.of(table), GlobalTableOptions.of(table.properties)))
    case _ =>
  }

  /** Says once for each table that written rows are seen after a refresh. */
  private def warn(id: TableId, options: GlobalTableOptions): Unit =
    if (warned.putIfAbsent(id, id) == null) {
      val when = options.refresh.fold("")(interval => s", at most ${interval.toMillis} ms, or")
      logWarning(s"Queries see rows that are written into the global table ${id.shortName} after " +
        s"its next refresh$when after REFRESH GLOBAL TABLE ${id.shortName}")
    }

  /** Whether the join keeps unmatched rows of the side that is not a stream. */
  private def preserves(join: Join, joinType: JoinType): Boolean = joinType match {
    case FullOuter => true
    case LeftOuter => join.right.isStreaming
    case RightOuter => join.left.isStreaming
    case _ => false
  }
}
