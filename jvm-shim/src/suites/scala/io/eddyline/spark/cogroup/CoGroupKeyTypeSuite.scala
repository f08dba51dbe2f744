package io.eddyline.spark.cogroup

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class CoGroupKeyTypeSuite extends AnyFunSuite {

  private def common(types: DataType*): Option[DataType] = {
    val found = types.permutations.map(CoGroupKeyType.common).toSet
    assert(found.size == 1, s"the order of the branches decides: $types")
    found.head
  }

  test("types widen within their family, in whatever order the branches come") {
    assert(common(ByteType, LongType, IntegerType).contains(LongType))
    assert(common(FloatType, DoubleType).contains(DoubleType))
    assert(common(DecimalType(10, 2), DecimalType(5, 4)).contains(DecimalType(12, 4)))
    assert(common(StringType, StringType).contains(StringType))
  }

  test("no family is widened into another, which would match keys that nobody compared") {
    val families =
      Seq(IntegerType, DoubleType, DecimalType(10, 0), StringType, DateType, BooleanType)
    assert(families.combinations(2).filter(common(_: _*).isDefined).toSeq == Nil)
  }

  test("a decimal that would have to round has no common type") {
    assert(common(DecimalType(38, 0), DecimalType(38, 38)).isEmpty)
    assert(common(DecimalType(20, 0), DecimalType(38, 20)).isEmpty)
    assert(common(DecimalType(18, 0), DecimalType(38, 20)).contains(DecimalType(38, 20)))
  }
}
