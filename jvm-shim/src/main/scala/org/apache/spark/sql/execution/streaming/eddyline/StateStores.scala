package org.apache.spark.sql.execution.streaming.eddyline

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.streaming.operators.stateful.StateStoreWriter
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.StructType

/** Opens the state store of an operator, which only code in Spark's packages can do. */
object StateStores {

  /**
   * Runs `body` over each partition with the operator's state store of that partition.
   *
   * An operator below this one may have read a store of its own. Spark 4.3 leaves it in a thread
   * local, where the next store of the task takes it for its own and fails on RocksDB ("Can only
   * upgrade readStore to writeStore"). So the thread local is cleared first.
   */
  def mapPartitions(
      operator: StateStoreWriter,
      rows: RDD[InternalRow],
      keySchema: StructType,
      valueSchema: StructType)(
      body: (StateStore, Iterator[InternalRow]) => Iterator[InternalRow]): RDD[InternalRow] =
    rows.mapPartitionsInternal { partition =>
      StateStoreThreadLocalTracker.clearStore()
      partition
    }.mapPartitionsWithStateStore(
      operator.getStateInfo,
      keySchema,
      valueSchema,
      NoPrefixKeyStateEncoderSpec(keySchema),
      operator.session.sessionState,
      Some(operator.session.streams.stateStoreCoordinator))(body)

  /**
   * Runs `body` over each partition with the state store that an operator of Spark below this one
   * has opened for reading.
   *
   * @param prefix the number of key columns, from the first on, by which the store is scanned
   */
  def mapRead(
      operator: StateStoreWriter,
      rows: RDD[InternalRow],
      keySchema: StructType,
      valueSchema: StructType,
      prefix: Int)(
      body: (StateStore, Iterator[InternalRow]) => Iterator[InternalRow]): RDD[InternalRow] =
    rows.mapPartitionsWithStateStore(
      operator.getStateInfo,
      keySchema,
      valueSchema,
      PrefixKeyScanStateEncoderSpec(keySchema, prefix),
      operator.session.sessionState,
      Some(operator.session.streams.stateStoreCoordinator))(body)
}
