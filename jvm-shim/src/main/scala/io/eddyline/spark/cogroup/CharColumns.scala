package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * Columns of type CHAR in the union of a COGROUP. For Spark they are strings with their length in
 * the metadata; when it compares two of them, it pads the shorter one.
 */
private[cogroup] object CharColumns {

  /**
   * Returns the columns of a key, one for each branch. Those of type CHAR, also in an ARRAY or a
   * STRUCT, are padded to one length, as if each were compared with each.
   */
  def keyColumns(keys: Seq[Expression], name: String): Seq[Alias] = {
    val padded = pad(keys)
    val types = keys.map(rawType).distinct
    val common = types match {
      case Seq(one) => one
      case _ => Option.when(padded != keys)(types).flatMap(longest)
    }
    keys.zip(padded).map { case (key, value) =>
      if (types.size == 1 && (value eq key)) Alias(key, name)()
      else Alias(value, name)(explicitMetadata = Some(metadata(key, common)))
    }
  }

  /** Returns NULL with the name, type and CHAR length of a column of another branch. */
  def nullColumn(column: Attribute): Alias =
    Alias(Literal(null, column.dataType), column.name)(
      qualifier = column.qualifier,
      explicitMetadata = rawType(column).map(length))

  private def pad(keys: Seq[Expression]): Seq[Expression] = {
    val chars = keys.collect {
      case key: Attribute if rawType(key).exists(!_.isInstanceOf[VarcharType]) => key
    }
    if (chars.size < 2 || SQLConf.get.charVarcharAsString) {
      keys
    } else {
      val padded = AttributeMap(chars.zip(
          CharVarcharUtils.addPaddingInStringComparison(chars, isPaddedInPredicates)))
      keys.map {
        case key: Attribute => padded.get(key).fold[Expression](key)(withNull(key, _))
        case other => other
      }
    }
  }

  /** Whether Spark pads values in comparisons, and not when they are read. */
  private def isPaddedInPredicates: Boolean = !SQLConf.get.readSideCharPadding &&
    !SQLConf.get.getConf(SQLConf.LEGACY_NO_CHAR_PADDING_IN_PREDICATE)

  /** Spark pads the fields of a struct that is NULL to a struct of NULLs. */
  private def withNull(key: Attribute, padded: Expression): Expression = padded match {
    case struct: CreateNamedStruct if key.nullable =>
      If(IsNull(key), Literal(null, struct.dataType), struct)
    case other => other
  }

  private def longest(types: Seq[Option[DataType]]): Option[DataType] = {
    val chars = types.collect { case Some(char: CharType) => char }
    Option.when(chars.size == types.size)(chars.maxBy(_.length))
  }

  private def metadata(key: Expression, rawType: Option[DataType]): Metadata = {
    val own = key match {
      case column: Attribute => CharVarcharUtils.cleanMetadata(column.metadata)
      case _ => Metadata.empty
    }
    rawType.fold(own)(known =>
      new MetadataBuilder().withMetadata(own).withMetadata(length(known)).build())
  }

  private def length(rawType: DataType): Metadata =
    CharVarcharUtils
      .replaceCharVarcharWithStringInSchema(new StructType().add("column", rawType)).head.metadata

  private def rawType(key: Expression): Option[DataType] = key match {
    case column: Attribute => CharVarcharUtils.getRawType(column.metadata)
    case _ => None
  }
}
