package io.eddyline.spark.emit.clause

import org.apache.commons.lang3.SerializationUtils
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval
import org.scalatest.funsuite.AnyFunSuite

class ToleranceSuite extends AnyFunSuite {
  private val HOUR = 3600000000L

  private def interval(months: Int, days: Int, micros: Long): Literal =
    Literal(new CalendarInterval(months, days, micros), CalendarIntervalType)

  private def decimal(text: String): Literal = Literal(Decimal(BigDecimal(text)))

  private def tolerance(dataType: DataType, amount: Literal)(left: Any, right: Any): Boolean = {
    val found = Tolerance.of(dataType, amount).get
    val (one, other) = (InternalRow(left), InternalRow(right))
    val covers = found.covers(one, other, 0)
    assert(found.covers(other, one, 0) == covers, "it depends on the order")
    covers
  }

  test("a difference of the whole amount is a change") {
    val five = tolerance(IntegerType, Literal(5)) _
    assert(five(10, 14) && !five(10, 15) && five(-2, 2) && !five(-3, 2))
    assert(tolerance(IntegerType, Literal(0))(7, 7) && !tolerance(IntegerType, Literal(0))(7, 8))
  }

  test("the difference of two numbers may exceed their type") {
    val most = tolerance(LongType, Literal(Long.MaxValue)) _
    assert(!most(Long.MinValue, Long.MaxValue) && !most(-1L, Long.MaxValue - 1))
    assert(most(0L, Long.MaxValue - 1))
    val (nearlyAll, all) = (decimal("18446744073709551615"), decimal("18446744073709551616"))
    assert(!tolerance(LongType, nearlyAll)(Long.MinValue, Long.MaxValue))
    assert(tolerance(LongType, all)(Long.MinValue, Long.MaxValue))
  }

  test("a fraction as the amount for whole numbers covers what is below it") {
    assert(!tolerance(IntegerType, decimal("0.5"))(1, 2))
    assert(tolerance(IntegerType, decimal("1.5"))(1, 2))
    assert(!tolerance(IntegerType, decimal("1.5"))(1, 3))
  }

  test("NaN equals NaN, and NaN and the infinities differ from every other number") {
    val million = tolerance(DoubleType, Literal(1e6)) _
    assert(million(Double.NaN, Double.NaN) && !million(Double.NaN, 1.0))
    assert(million(Double.PositiveInfinity, Double.PositiveInfinity))
    assert(!million(Double.PositiveInfinity, Double.NegativeInfinity))
    assert(!million(Double.PositiveInfinity, Double.MaxValue))
    assert(tolerance(DoubleType, Literal(0.0))(0.0, -0.0))
    assert(tolerance(FloatType, Literal(0.5))(1.0f, 1.25f))
  }

  test("NULL equals NULL and no value") {
    val five = tolerance(IntegerType, Literal(5)) _
    assert(five(null, null) && !five(null, 0))
  }

  test("decimals are compared exactly") {
    val smallest = tolerance(DecimalType(38, 20), decimal("0.00000000000000000002")) _
    def plus(digits: String) = Decimal(BigDecimal("123456789012345678." + digits))
    assert(smallest(plus("00000000000000000001"), plus("00000000000000000002")))
    assert(!smallest(plus("00000000000000000001"), plus("00000000000000000003")))
  }

  test("an interval for dates covers the days that it has begun") {
    val days = tolerance(DateType, interval(0, 1, 12 * HOUR)) _
    assert(days(100, 101) && !days(100, 102))
    assert(tolerance(TimestampType, interval(0, 0, HOUR))(0L, HOUR - 1))
    assert(!tolerance(TimestampType, interval(0, 0, HOUR))(0L, HOUR))
  }

  test("numbers fit numbers, and intervals fit times") {
    assert(Tolerance.of(DateType, Literal(1)).isEmpty)
    assert(Tolerance.of(IntegerType, interval(0, 1, 0)).isEmpty)
    assert(Tolerance.of(StringType, Literal(1)).isEmpty)
    assert(Tolerance.of(TimestampType, interval(1, 0, 0)).isEmpty)
  }

  test("an amount is not negative, is finite and has no months") {
    assert(Seq(Literal(0), Literal(2.5), decimal("1"), interval(0, 1, 0)).forall(
        Tolerance.isAmount))
    val wrong = Seq(Literal(-1), Literal(Double.NaN), Literal(Float.PositiveInfinity),
      interval(1, 0, 0), interval(0, 0, -1), Literal("5"), Literal(null))
    assert(wrong.filter(Tolerance.isAmount) == Nil)
  }

  test("a tolerance reaches the tasks") {
    val sent = SerializationUtils.roundtrip(Tolerance.of(IntegerType, Literal(5)).get)
    assert(sent.covers(InternalRow(10), InternalRow(14), 0))
    assert(!sent.isEqual(InternalRow(10), InternalRow(14), 0))
  }
}
