package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.analysis.WidenStatefulOpNullability
import org.apache.spark.sql.execution.streaming.GenericBufferAggregationIterator
import org.apache.spark.sql.types.StructType

/** How Spark's stateful operators keep their rows. */
private[spark] object StateShim {

  /** An aggregation whose buffers are rows of generic objects. */
  type BufferAggregationIterator = GenericBufferAggregationIterator

  /** The schema that a state has on disk: every column may be NULL. */
  def schemaOnDisk(schema: StructType): StructType =
    WidenStatefulOpNullability.widenStateSchema(schema)
}
