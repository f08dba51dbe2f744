package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.SparkEnv
import org.apache.spark.internal.config.{BUFFER_PAGESIZE, MEMORY_OFFHEAP_ENABLED}
import org.apache.spark.memory.{TaskMemoryManager, UnifiedMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.plans.physical.BroadcastMode
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.{HashedRelation, HashedRelationBroadcastMode}

/**
 * The relations that joins look up rows in, in small pages of memory: Spark's own mode takes a page
 * of 64 MiB on the driver for a relation of a few rows.
 */
object Relations {
  private val PAGE = 1L << 20

  /** How many rows a plan gives, and the rows, which are decompressed one by one. */
  def collect(plan: SparkPlan): (Long, Iterator[InternalRow]) = plan.executeCollectIterator()

  /** What `mode.transform` makes of the rows. */
  def build(mode: BroadcastMode, rows: Iterator[InternalRow], count: Long): Any = mode match {
    case hashed: HashedRelationBroadcastMode =>
      HashedRelation(
        rows, hashed.canonicalized.key, count.toInt, smallPages(), isNullAware = hashed.isNullAware)
    case other => other.transform(rows, Some(count))
  }

  /** In bytes. */
  def size(relation: Any): Long = relation match {
    case hashed: HashedRelation => hashed.estimatedSize
    case rows: Array[_] => rows.collect { case row: UnsafeRow => row.getSizeInBytes.toLong }.sum
  }

  private def smallPages(): TaskMemoryManager = {
    val conf = SparkEnv.get.conf.clone
      .set(MEMORY_OFFHEAP_ENABLED.key, "false")
      .set(BUFFER_PAGESIZE.key, s"${PAGE}b")
    new TaskMemoryManager(new UnifiedMemoryManager(conf, Long.MaxValue, Long.MaxValue / 2, 1), 0)
  }
}
