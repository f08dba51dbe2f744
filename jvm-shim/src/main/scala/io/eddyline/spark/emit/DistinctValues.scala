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

  /** What JSON and Avro have as it is of a value: the value, and those of the fields in it. */
  private def exact(value: Expression): Seq[Expression] = {
    val fields = value match {
      case struct: CreateNamedStruct if hasNames(struct.dataType) => struct.valExprs.flatMap(exact)
      case _ => Nil
    }
    if (isExact(value)) value +: fields else fields
  }

  /** They may cut off microseconds, by which two windows differ only if they are that short. */
  private def isExact(value: Expression): Boolean = value match {
    case GroupingColumns.WindowBound(_) | GroupingColumns.Window(_) => true
    case other => isExact(other.dataType)
  }

  /** Whether each field has a name of its own: JSON leaves out those that are NULL. */
  private def hasNames(struct: StructType): Boolean =
    struct.fieldNames.distinct.length == struct.length

  private def isExact(dataType: DataType): Boolean = dataType match {
    case ArrayType(element, _) => isExact(element)
    case struct: StructType => hasNames(struct) && struct.forall(field => isExact(field.dataType))
    case _: NumericType | _: StringType | BinaryType | BooleanType | DateType => true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }
}
