package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.TypeCoercion
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types._

/**
 * Determines the common type of a key in all branches: equal types, or Spark's widening within the
 * integral, the floating-point or the decimal types. Nothing else is widened: INT with STRING, or
 * INT with DECIMAL, would match keys that the user never compared.
 */
private[cogroup] object CoGroupKeyType {

  /** Returns the common type; None if the types have none. */
  def common(types: Seq[DataType]): Option[DataType] =
    types.tail.foldLeft(Option(types.head))((type1, type2) => type1.flatMap(common(_, type2)))

  private def common(type1: DataType, type2: DataType): Option[DataType] =
    if (DataTypeUtils.sameType(type1, type2)) Some(type1)
    else if (family(type1).isEmpty || family(type1) != family(type2)) None
    else TypeCoercion.findWiderTypeForTwo(type1, type2).filter(keepsValues(_, type1, type2))

  /** Whether a wider type has all values; a DECIMAL of more than 38 digits would round some. */
  private def keepsValues(wider: DataType, types: DataType*): Boolean = wider match {
    case to: DecimalType =>
      types.forall { case from: DecimalType =>
        to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale
      }
    case _ => true
  }

  private def family(dataType: DataType): Option[String] = dataType match {
    case ByteType | ShortType | IntegerType | LongType => Some("integral")
    case FloatType | DoubleType => Some("floating")
    case _: DecimalType => Some("decimal")
    case _ => None
  }
}
