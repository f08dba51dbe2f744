package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** Tells whether different values of an expression stay different in another one. */
private[emit] object DistinctValues {

  /** Functions that give different values for different ones of their first argument. */
  private val FUNCTIONS =
    Set("base64", "encode", "hex", "to_avro", "to_protobuf", "unix_micros")

  /** Whether `value` has another value wherever `part` has another one. */
  def areIn(value: Expression, part: Expression): Boolean = value match {
    case same if GroupingColumns.hasValue(same, part) => true
    case cast: Cast => isText(cast) && areIn(cast.child, part)
    case struct: CreateNamedStruct => struct.valExprs.exists(areIn(_, part))
    case StructsToJson(options, struct: CreateNamedStruct, _) =>
      options.isEmpty && struct.valExprs.exists(field => isExact(field) && areIn(field, part))
    case call if FUNCTIONS(call.prettyName) => areIn(call.children.head, part)
    case _ => false
  }

  private def isText(cast: Cast): Boolean = (cast.child.dataType, cast.dataType) match {
    case (FloatType | DoubleType | BinaryType | StringType, StringType | BinaryType) => true
    case _ => GroupingColumns.keepsDifferences(cast)
  }

  /** Whether JSON has the whole value: it cuts off microseconds, which a window does not have. */
  private def isExact(field: Expression): Boolean = (field, field.dataType) match {
    case (GroupingColumns.WindowBound(_), _) => true
    case (_, TimestampType | TimestampNTZType) => false
    case _ => true
  }
}
