package io.eddyline.spark.emit.clause

import java.math.{BigDecimal => JBigDecimal, RoundingMode}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.eddyline.spark.base.Intervals

/**
 * The amount of TOLERANCE for a column, as in `TOLERANCE (price 0.5)`. Its origin is that of the
 * column as typed, since Spark may give a resolved column that of another use.
 *
 * @param left the column of the result
 * @param right the amount: a number, or an interval for dates and timestamps
 */
case class ColumnTolerance(left: Expression, right: Expression)
  extends BinaryExpression with Unevaluable {

  def column: Expression = left

  def amount: Expression = right

  override def dataType: DataType = NullType

  override def sql: String = s"${column.sql} ${amount.sql}"

  override protected def withNewChildrenInternal(
      newLeft: Expression, newRight: Expression): ColumnTolerance = copy(newLeft, newRight)
}

/**
 * Decides whether two values of a column differ by less than an amount. NULL differs from every
 * value, and NaN and the infinities from every other number.
 */
private[emit] sealed abstract class Tolerance(dataType: DataType) extends Serializable {

  /** Whether the values of a column in two rows are equal, or differ by less than the amount. */
  def covers(left: InternalRow, right: InternalRow, column: Int): Boolean =
    if (left.isNullAt(column) || right.isNullAt(column)) {
      left.isNullAt(column) && right.isNullAt(column)
    } else {
      val (a, b) = (left.get(column, dataType), right.get(column, dataType))
      isSame(a, b) || isWithin(a, b)
    }

  /** Whether the values of a column in two rows are equal. */
  def isEqual(left: InternalRow, right: InternalRow, column: Int): Boolean =
    left.isNullAt(column) == right.isNullAt(column) && (left.isNullAt(column) ||
      isSame(left.get(column, dataType), right.get(column, dataType)))

  protected def isSame(left: Any, right: Any): Boolean = left == right

  protected def isWithin(left: Any, right: Any): Boolean
}

private[emit] object Tolerance {
  private val MICROS_PER_DAY = 86400000000L

  /**
   * Returns the tolerance of an amount for columns of a type; None if it does not fit. A number
   * fits numbers; an interval fits dates, timestamps and intervals of days and time.
   */
  def of(dataType: DataType, amount: Expression): Option[Tolerance] = dataType match {
    case ByteType | ShortType | IntegerType | LongType =>
      number(amount).map(new Integral(dataType, _))
    case FloatType | DoubleType => number(amount).map(n => new Fractional(dataType, n.doubleValue))
    case _: DecimalType => number(amount).map(new Exact(dataType, _))
    case DateType => Intervals.micros(amount).map(n => new Integral(dataType, days(n)))
    case TimestampType | TimestampNTZType | _: DayTimeIntervalType =>
      Intervals.micros(amount).map(n => new Integral(dataType, new JBigDecimal(n)))
    case _ => None
  }

  /** Whether an amount is a number, or an interval without months, and is not negative. */
  def isAmount(amount: Expression): Boolean =
    number(amount).exists(_.signum >= 0) || Intervals.micros(amount).exists(_ >= 0)

  private def number(amount: Expression): Option[JBigDecimal] = amount match {
    case Literal(value: Decimal, _) => Some(value.toJavaBigDecimal)
    case Literal(value: Number, _: NumericType) if java.lang.Double.isFinite(value.doubleValue) =>
      Some(new JBigDecimal(value.toString))
    case _ => None
  }

  /** Returns the days of an interval, rounded up: dates that differ by fewer differ by less. */
  private def days(micros: Long): JBigDecimal =
    new JBigDecimal(micros).divide(new JBigDecimal(MICROS_PER_DAY), 0, RoundingMode.CEILING)

  /** Compares whole numbers, also those that Spark has for dates, timestamps and intervals. */
  private class Integral(dataType: DataType, amount: JBigDecimal) extends Tolerance(dataType) {
    private val limit = amount.setScale(0, RoundingMode.CEILING).toBigInteger
    private val isUnlimited = limit.bitLength > java.lang.Long.SIZE
    private val unsigned = limit.longValue

    /** Compares without sign, because the difference of two numbers may exceed their type. */
    override protected def isWithin(left: Any, right: Any): Boolean = {
      val (a, b) = (left.asInstanceOf[Number].longValue, right.asInstanceOf[Number].longValue)
      val difference = if (a > b) a - b else b - a
      isUnlimited || java.lang.Long.compareUnsigned(difference, unsigned) < 0
    }
  }

  private class Fractional(dataType: DataType, amount: Double) extends Tolerance(dataType) {
    override protected def isSame(left: Any, right: Any): Boolean =
      left == right || (value(left).isNaN && value(right).isNaN)

    override protected def isWithin(left: Any, right: Any): Boolean =
      math.abs(value(left) - value(right)) < amount

    private def value(of: Any): Double = of.asInstanceOf[Number].doubleValue
  }

  private class Exact(dataType: DataType, amount: JBigDecimal) extends Tolerance(dataType) {
    override protected def isWithin(left: Any, right: Any): Boolean =
      value(left).subtract(value(right)).abs.compareTo(amount) < 0

    private def value(of: Any): JBigDecimal = of.asInstanceOf[Decimal].toJavaBigDecimal
  }
}
