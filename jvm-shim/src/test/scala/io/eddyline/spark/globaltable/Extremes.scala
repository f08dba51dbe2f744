package io.eddyline.spark.globaltable

import org.apache.spark.sql.Row
import org.apache.spark.sql.expressions.{MutableAggregationBuffer, UserDefinedAggregateFunction}
import org.apache.spark.sql.types.{DataType, StringType, StructType}

/** An aggregate that CREATE FUNCTION can register without Hive: one of the strings, or ''. */
abstract class Extreme(isMore: (String, String) => Boolean) extends UserDefinedAggregateFunction {
  override def inputSchema: StructType = new StructType().add("value", StringType)

  override def bufferSchema: StructType = new StructType().add("found", StringType)

  override def dataType: DataType = StringType

  override def deterministic: Boolean = true

  override def initialize(buffer: MutableAggregationBuffer): Unit = buffer(0) = ""

  override def update(buffer: MutableAggregationBuffer, input: Row): Unit = {
    val (found, value) = (buffer.getString(0), input.getString(0))
    if (found.isEmpty || isMore(value, found)) buffer(0) = value
  }

  override def merge(buffer: MutableAggregationBuffer, other: Row): Unit =
    if (other.getString(0).nonEmpty) update(buffer, other)

  override def evaluate(buffer: Row): Any = buffer.getString(0)
}

class Least extends Extreme(_ < _)

class Greatest extends Extreme(_ > _)
