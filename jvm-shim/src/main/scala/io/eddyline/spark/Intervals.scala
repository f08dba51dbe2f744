package io.eddyline.spark

import java.time.Duration
import java.time.temporal.ChronoUnit.MICROS
import java.util.concurrent.TimeUnit.MICROSECONDS

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.types.DayTimeIntervalType
import org.apache.spark.unsafe.types.CalendarInterval

/** The `interval` of the grammars, as Spark's parser gives it. */
object Intervals {

  /** The length of an interval literal of at least a millisecond, without months or years. */
  def positive(interval: Expression): Option[Duration] = {
    val micros = interval match {
      case Literal(value: CalendarInterval, _) if value.months == 0 =>
        Some(IntervalUtils.getDuration(value, MICROSECONDS))
      case Literal(value: Long, _: DayTimeIntervalType) => Some(value)
      case _ => None
    }
    micros.map(Duration.of(_, MICROS)).filter(_.toMillis > 0)
  }

  /** An interval as Spark's triggers take it: in milliseconds. */
  def sql(interval: Duration): String = s"${interval.toMillis} milliseconds"
}
