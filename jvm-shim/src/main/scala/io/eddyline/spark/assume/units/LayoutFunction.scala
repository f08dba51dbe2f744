package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.KeyedPartitioning
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * The number of the unit of a key, by a function that nobody knows: Spark compares its name and
 * never computes it.
 */
case class LayoutFunction(layout: String, key: DataType) extends ScalarFunction[Integer] {

  override def name: String = layout

  override def canonicalName: String = s"eddyline.layout.$layout(${key.sql})"

  override def inputTypes: Array[DataType] = Array(key)

  override def resultType: DataType = IntegerType
}

object LayoutFunction {

  /**
   * The partitioning of the units of a layout, which two sides of a join or two branches of a union
   * share by the numbers of their units. None where Spark would not use it or would take it for
   * more than it is:
   *
   *   - a partitioning by a function takes one column; of several functions Spark would take each
   *     by itself;
   *   - if it may shuffle one side into the partitioning of the other, it computes the function;
   *   - if all keys of an operator must be those of its input, it looks for the bare keys.
   */
  def partitioning(
      name: String, keys: Seq[Expression], units: Seq[Int]): Option[KeyedPartitioning] = {
    val conf = SQLConf.get
    keys match {
      case Seq(key: Attribute) if !conf.v2BucketingShuffleEnabled &&
          !conf.getConf(SQLConf.REQUIRE_ALL_CLUSTER_KEYS_FOR_DISTRIBUTION) =>
        val function = TransformExpression(LayoutFunction(name, key.dataType), Seq(key))
        Some(KeyedPartitioning(Seq(function), units.map(InternalRow(_))))
      case _ => None
    }
  }
}
