package io.eddyline.spark.base

import java.time.Duration
import java.time.temporal.ChronoUnit.MICROS
import java.util.concurrent.TimeUnit.MICROSECONDS

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.types.DayTimeIntervalType
import org.apache.spark.unsafe.types.CalendarInterval

/** Conversions of the grammars' `interval`, which Spark's parser reads as an expression. */
object Intervals {

  /** Returns the length of an interval literal; None if it has months or is shorter than 1 ms. */
  def positive(interval: Expression): Option[Duration] =
    micros(interval).map(Duration.of(_, MICROS)).filter(_.toMillis > 0)

  /** Returns the length of an interval literal in microseconds; None if it has months. */
  def micros(interval: Expression): Option[Long] = interval match {
    case Literal(value: CalendarInterval, _) if value.months == 0 =>
      Some(IntervalUtils.getDuration(value, MICROSECONDS))
    case Literal(value: Long, _: DayTimeIntervalType) => Some(value)
    case _ => None
  }

  /** Returns an interval as SQL in milliseconds, the unit of Spark's triggers. */
  def sql(interval: Duration): String = s"${interval.toMillis} milliseconds"
}
