package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.joins.{HashedRelation, HashedRelationBroadcastMode}

import io.eddyline.spark.globaltable.join.GlobalLookupExec

/**
 * A lookup by the first column of a plan over global tables, a BIGINT, as tasks of real-time mode
 * have it. The plan has the versions of now.
 */
class FollowedLookup(rows: DataFrame) {
  private val query = rows.asInstanceOf[Dataset[_]].queryExecution
  private val plan = query.optimizedPlan
  private val key = plan.output.head
  private val lookup = query.sparkSession.withActive {
    GlobalLookupExec(
      plan.output,
      HashedRelationBroadcastMode(Seq(BoundReference(0, key.dataType, key.nullable))),
      Seq(key),
      follows = true,
      plan)
  }
  private lazy val relation =
    lookup.executeBroadcast[HashedRelation]().value.asReadOnlyCopy()

  /** Begins as a task does, before its first lookup. */
  def begin(): Unit = relation: Unit

  /** Begins to look up, if it has not yet; returns the numbers in the last column for a key. */
  def find(key: Long): Array[Long] = {
    val found = relation.get(InternalRow(key))
    if (found == null) Array.empty[Long]
    else found.map(_.getLong(plan.output.length - 1)).toArray
  }
}
