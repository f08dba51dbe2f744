package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.KeyedPartitioning
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * The number of the unit of a key, by a function that nobody knows: Spark compares its name and
 * never computes it. Of several keys each has one, which only together give the unit.
 */
case class LayoutFunction(layout: String, key: Int, types: Seq[DataType])
  extends ScalarFunction[Integer] {

  override def name: String = layout

  override def canonicalName: String =
    s"eddyline.layout.$layout(${types.map(_.sql).mkString(", ")}).$key"

  override def inputTypes: Array[DataType] = Array(types(key))

  override def resultType: DataType = IntegerType
}

object LayoutFunction {

  /**
   * The partitioning of the units of a layout, which two sides of a join or two branches of a union
   * share by the numbers of their units. None where Spark would not use it, or take more from it
   * than is claimed:
   *
   *   - if it shuffles one side into the partitioning of the other, it computes the function;
   *   - if all keys of an operator must be those of its input, it looks for the bare keys;
   *   - if some keys of a partitioning may do for all, it takes each function by itself.
   */
  def partitioning(
      name: String, keys: Seq[Expression], units: Seq[Int]): Option[KeyedPartitioning] = {
    val conf = SQLConf.get
    val fits = keys.forall(_.isInstanceOf[Attribute]) &&
      !conf.v2BucketingShuffleEnabled &&
      !conf.getConf(SQLConf.REQUIRE_ALL_CLUSTER_KEYS_FOR_DISTRIBUTION) &&
      (keys.size == 1 || !conf.v2BucketingAllowKeysSubsetOfPartitionKeys)
    if (fits) {
      val functions = keys.zipWithIndex.map { case (key, i) =>
        TransformExpression(LayoutFunction(name, i, keys.map(_.dataType)), Seq(key))
      }
      Some(KeyedPartitioning(functions, units.map(unit => InternalRow.fromSeq(keys.map(_ => unit)))))
    } else {
      None
    }
  }
}
