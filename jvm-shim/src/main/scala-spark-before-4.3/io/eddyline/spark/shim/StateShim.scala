package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.execution.aggregate.AggregationIterator
import org.apache.spark.sql.types.StructType

/** How Spark's stateful operators keep their rows. */
private[spark] object StateShim {

  /** An aggregation whose buffers are rows of generic objects. */
  abstract class BufferAggregationIterator(
      partition: Int,
      groupingExpressions: Seq[NamedExpression],
      inputAttributes: Seq[Attribute],
      aggregateExpressions: Seq[AggregateExpression],
      aggregateAttributes: Seq[Attribute],
      initialInputBufferOffset: Int,
      resultExpressions: Seq[NamedExpression],
      newMutableProjection: (Seq[Expression], Seq[Attribute]) => MutableProjection)
    extends AggregationIterator(
      partition, groupingExpressions, inputAttributes, aggregateExpressions, aggregateAttributes,
      initialInputBufferOffset, resultExpressions, newMutableProjection) {

    protected def newAggregationBuffer(): InternalRow = {
      val width = aggregateFunctions.map(_.aggBufferAttributes.length).sum
      val buffer = new GenericInternalRow(width)
      initializeBuffer(buffer)
      buffer
    }
  }

  /** The schema that a state has on disk: that of its rows. */
  def schemaOnDisk(schema: StructType): StructType = schema
}
