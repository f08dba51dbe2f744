package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.plans.physical.BroadcastMode
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.types.LongType
import org.apache.spark.util.Utils

/** Builds the relations in which joins look up rows. */
object JoinRelations {

  /** Runs a plan; returns the number of rows, and an iterator that decompresses one at a time. */
  def collect(plan: SparkPlan): (Long, Iterator[InternalRow]) = plan match {
    case local: LocalTableScanExec =>
      val rows = local.executeCollect()
      (rows.length, rows.iterator)
    case other => other.executeCollectIterator()
  }

  /** Builds the same relation as `mode.transform`, in less memory. Error: [[RelationTooLarge]]. */
  def build(mode: BroadcastMode, rows: Iterator[InternalRow], count: Long): Any = mode match {
    case hashed: HashedRelationBroadcastMode =>
      val key = hashed.canonicalized.key
      if (count == 0) {
        EmptyHashedRelation
      } else if (key.map(_.dataType) == Seq(LongType)) {
        CompactLongRelation(rows, key, count, hashed.isNullAware)
      } else {
        CompactRelation(rows, key, count, hashed.isNullAware)
      }
    case other => other.transform(rows, Some(count))
  }

  /**
   * Builds a relation from another one and changes to it, see [[IncrementalHashedRelation]]. Each
   * key has at most one row. Error: [[RelationTooLarge]].
   *
   * @param upserts the number of rows that are new or differ from those of the base, and these rows
   * @param deletedKeys the number of keys of the base that are deleted, and rows with these keys
   */
  def incremental(
      mode: BroadcastMode,
      base: Broadcast[Any])(
      upserts: (Long, Iterator[InternalRow]),
      deletedKeys: (Long, Iterator[InternalRow])): Any = {
    val Seq(changed, deleted) = Seq(upserts, deletedKeys).map { case (count, rows) =>
      build(mode, rows, count).asInstanceOf[HashedRelation]
    }
    new IncrementalHashedRelation(base, changed, deleted)
  }

  /** Returns a [[LiveHashedRelation]]; `id` is that in `BroadcastVersions`. */
  def live(id: Long, number: Long, first: Broadcast[Any], isUnique: Boolean): Any =
    new LiveHashedRelation(id, number, first, isUnique)

  /** Returns the size of a relation in bytes. */
  def size(relation: Any): Long = relation match {
    case hashed: HashedRelation => hashed.estimatedSize
    case rows: Array[_] => rows.collect { case row: UnsafeRow => row.getSizeInBytes.toLong }.sum
  }

  /** Returns how many bytes are sent for a relation, without its base; holds them in memory. */
  def serializedSize(relation: Any): Long = Utils.serialize(relation).length
}
