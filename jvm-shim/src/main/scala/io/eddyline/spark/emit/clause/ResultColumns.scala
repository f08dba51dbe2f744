package io.eddyline.spark.emit.clause

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.base.EddylineErrors

/** Finds columns of the result of a query with EMIT. */
private[emit] object ResultColumns {

  /** Returns the column that an expression names. Errors: EDDYLINE_EMIT.UNRESOLVED_COLUMN. */
  def named(emit: Emit, column: Expression): Attribute = column match {
    case a: Attribute if a.resolved && emit.resultAttributes.exists(_.exprId == a.exprId) => a
    case other => throw unresolved(emit, other)
  }

  def unresolved(emit: Emit, column: Expression): Throwable = {
    val (typed, place) = column match {
      case other: Attribute if other.resolved => other.name -> emit.origin // of WITH CHANGE TYPE
      case _ => EddylineErrors.asTyped(column) -> column.origin
    }
    EddylineErrors.analysis("EDDYLINE_EMIT.UNRESOLVED_COLUMN",
      Map("column" -> typed, "columns" -> emit.resultAttributes.map(_.name).mkString(", ")), place)
  }

  /** Returns the event time of a row: the column with a watermark, or the end of its window. */
  def eventTime(output: Seq[Attribute]): Option[Expression] =
    output.find(_.metadata.contains(EventTimeWatermark.delayKey)).map { column =>
      column.dataType match {
        case window: StructType => GetStructField(column, window.fieldIndex("end"))
        case _ => column
      }
    }
}
