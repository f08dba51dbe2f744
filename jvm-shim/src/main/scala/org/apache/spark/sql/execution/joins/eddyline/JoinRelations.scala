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

  /**
   * Runs a plan, without a job if the driver has the rows. Returns the number of rows and an
   * iterator that decompresses them one at a time.
   */
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
   * Builds a relation that is the one of `base` but for some keys; each key has at most one row.
   * Error: [[RelationTooLarge]].
   *
   * @param changed the rows of keys that are not as in the base
   * @param gone rows with the keys that are in the base only
   */
  def overlay(
      mode: BroadcastMode,
      base: Broadcast[Any])(
      changed: (Long, Iterator[InternalRow]),
      gone: (Long, Iterator[InternalRow])): Any = {
    val Seq(rows, keys) = Seq(changed, gone).map { case (count, rows) =>
      build(mode, rows, count).asInstanceOf[HashedRelation]
    }
    new IncrementalHashedRelation(base, rows, keys)
  }

  /**
   * Returns a relation whose lookups go to the newest version of one that tasks follow.
   *
   * @param id of the relation, see [[org.apache.spark.rpc.eddyline.BroadcastVersions]]
   * @param number of the version `first`
   * @param isUnique whether each version has at most one row of a key
   */
  def following(id: Long, number: Long, first: Broadcast[Any], isUnique: Boolean): Any =
    new LiveHashedRelation(id, number, first, isUnique)

  /** Returns the size of a relation in bytes. */
  def size(relation: Any): Long = relation match {
    case hashed: HashedRelation => hashed.estimatedSize
    case rows: Array[_] => rows.collect { case row: UnsafeRow => row.getSizeInBytes.toLong }.sum
  }

  /** Returns the number of bytes that are sent for a small relation; its base does not count. */
  def serializedSize(relation: Any): Long = Utils.serialize(relation).length
}
