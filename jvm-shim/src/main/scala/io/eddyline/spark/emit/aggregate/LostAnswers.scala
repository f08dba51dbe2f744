package io.eddyline.spark.emit.aggregate

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{UnsafeRow, XXH64}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.eddyline.MicroBatch

import io.eddyline.spark.base.PerRun

/**
 * Tells for which rows the answers of an earlier run may have to be replaced, in one task.
 *
 * A run in real-time mode that ends in the middle of a micro-batch has emitted rows, and stored
 * nothing. The next run reads the same records, but perhaps in another order of partitions or with
 * other versions of global tables. So a result that equals the stored one may differ from the row
 * that was emitted last. In the first micro-batch of a run the first row of each key is therefore
 * emitted even if it changes nothing.
 *
 * @param arePossible whether this is such a micro-batch
 */
private[emit] class LostAnswers(arePossible: Boolean) {
  private val answered = mutable.LongMap.empty[Unit]

  /** Whether a row of the key is to be emitted in any case; called once for each input row. */
  def mayExist(key: UnsafeRow): Boolean = arePossible && {
    // two keys have equal hashes with a probability of 2^-64
    val hash =
      XXH64.hashUnsafeBytes(key.getBaseObject, key.getBaseOffset, key.getSizeInBytes, 0L)
    answered.put(hash, ()).isEmpty
  }
}

private[emit] object LostAnswers {
  private val firstBatches = new PerRun[java.lang.Long]

  /** Whether the thread works for the first micro-batch of a run. */
  def arePossible(session: SparkSession): Boolean = MicroBatch.current(session).exists { now =>
    val first = firstBatches.of(session, now.run).putIfAbsent(now.run, now.batch)
    first == null || first == now.batch
  }
}
