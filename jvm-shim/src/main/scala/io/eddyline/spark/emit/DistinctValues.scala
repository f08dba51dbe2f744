package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** Tells whether different values of an expression stay different in another one. */
private[emit] object DistinctValues {

  /** Functions that give different values for different ones of their first argument. */
  private val FUNCTIONS = Set("base64", "encode", "hex", "unix_micros")

  /** Whether `value` has another value wherever `part` has another one. */
  def areIn(value: Expression, part: Expression): Boolean = value match {
    case same if GroupingColumns.hasValue(same, part) => true
    case cast: Cast => isText(cast) && areIn(cast.child, part)
    case struct: CreateNamedStruct => struct.valExprs.exists(areIn(_, part))
    case StructsToJson(options, struct: CreateNamedStruct, _) =>
      options.isEmpty && exact(struct).exists(areIn(_, part))
    case avro if avro.prettyName == "to_avro" => exact(avro.children.head).exists(areIn(_, part))
    case call if FUNCTIONS(call.prettyName) => areIn(call.children.head, part)
    case _ => false
  }

  private def isText(cast: Cast): Boolean = (cast.child.dataType, cast.dataType) match {
    case (FloatType | DoubleType | BinaryType | StringType, StringType | BinaryType) => true
    case _ => GroupingColumns.keepsDifferences(cast)
  }

  /**
   * The values in a struct that JSON and Avro have as they are. They may cut off microseconds,
   * which a window does not have; JSON leaves out a NULL, so that only its name tells which.
   */
  private def exact(value: Expression): Seq[Expression] = value match {
    case struct: CreateNamedStruct =>
      val names = struct.dataType.fieldNames
      if (names.distinct.length == names.length) struct.valExprs.flatMap(exact) else Nil
    case GroupingColumns.WindowBound(_) | GroupingColumns.Window(_) => Seq(value)
    case other => Seq(other).filter(field => isExact(field.dataType))
  }

  private def isExact(dataType: DataType): Boolean = dataType match {
    case ArrayType(element, _) => isExact(element)
    case StructType(fields) => fields.forall(field => isExact(field.dataType))
    case _: NumericType | _: StringType | BinaryType | BooleanType | DateType => true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }
}
