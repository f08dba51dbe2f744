package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class DistinctValuesSuite extends AnyFunSuite {
  private val x = AttributeReference("x", IntegerType)()
  private val y = AttributeReference("y", StringType)()

  private def column(ddl: String) = AttributeReference("k", DataType.fromDDL(ddl))()

  private def struct(values: Expression*) = CreateNamedStruct(
    values.zipWithIndex.flatMap { case (value, i) => Seq(Literal(s"c$i"), value) })

  private def json(value: Expression) = StructsToJson(Map.empty, struct(value))

  test("JSON has the differences of structs, of their fields and of what is in arrays") {
    val pair = struct(x, y)
    for (part <- Seq(pair, x, y)) assert(DistinctValues.areIn(json(pair), part))
    for (ddl <- Seq("INT", "ARRAY<STRUCT<a: INT, b: DATE>>", "STRUCT<a: STRUCT<b: DECIMAL>>")) {
      val k = column(ddl)
      assert(DistinctValues.areIn(json(k), k), ddl)
      assert(DistinctValues.areIn(json(struct(k, x)), k), ddl)
    }
  }

  test("JSON loses microseconds, and which of the fields of one name is NULL") {
    val same = CreateNamedStruct(Seq(Literal("a"), x, Literal("a"), y))
    for (part <- Seq(same, x)) assert(!DistinctValues.areIn(json(same), part))
    for (ddl <- Seq("TIMESTAMP", "ARRAY<TIMESTAMP>", "STRUCT<a: TIMESTAMP>", "MAP<INT, INT>")) {
      val k = column(ddl)
      assert(!DistinctValues.areIn(json(k), k), ddl)
    }
    val twice = StructType(Seq(StructField("a", IntegerType), StructField("a", IntegerType)))
    for (dataType <- Seq(twice, ArrayType(twice))) {
      val k = AttributeReference("k", dataType)()
      assert(!DistinctValues.areIn(json(k), k), dataType.sql)
    }
  }
}
