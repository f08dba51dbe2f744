package io.eddyline.spark.emit.clause

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.StructType

/** Finds the time of a row that Spark's watermark follows. */
private[emit] object WatermarkTime {

  /** The column with a watermark, of a window its end; None if no column has one. */
  def of(output: Seq[Attribute]): Option[Expression] =
    output.find(_.metadata.contains(EventTimeWatermark.delayKey)).map { column =>
      column.dataType match {
        case window: StructType => GetStructField(column, window.fieldIndex("end"))
        case _ => column
      }
    }
}
