package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.types._

import io.eddyline.spark.emit.clause.Emit

/**
 * The forms that the key of a topic's record may have, so that no two rows of a query have the same
 * key:
 *
 *   - the value that identifies a row, if it is the only one and STRING or BINARY; or its text;
 *   - `to_json(struct(…))` or `to_avro(struct(…))` of all values that identify a row, or of their
 *     texts.
 *
 * The text of a value is `CAST(value AS STRING)` of an integer, DECIMAL, BOOLEAN, DATE or
 * TIMESTAMP_NTZ. JSON is no such form for all types: it cuts off microseconds, which does no harm
 * to windows of usual lengths, and replaces bytes that are not UTF-8.
 *
 * @param values the values that identify a row
 */
private[emit] class TopicKey(values: Seq[Expression], emit: Emit) {
  import TopicKey._

  /** Whether an expression has one of the forms. */
  def matches(key: Expression): Boolean = key match {
    case StructsToJson(options, struct: CreateNamedStruct, _) =>
      // JSON leaves out fields that are NULL
      options.isEmpty && struct.names.distinct == struct.names && isStruct(struct, isExactInJson)
    case AvroRecord(struct) => isStruct(struct, isExactInAvro)
    case other => values match {
        case Seq(value) =>
          isText(other, value) || isPlain(value) && GroupingColumns.isSame(other, value)
        case _ => values.isEmpty && other.foldable
      }
  }

  /** A sentence that says what to write instead of an expression of another form. */
  def advice: String = {
    def struct(exact: Expression => Boolean): Option[String] =
      Option.when(values.forall(value => exact(value) || hasText(value))) {
        val fields = values.map { value =>
          if (exact(value)) toPrettySQL(value) else s"CAST(${toPrettySQL(value)} AS STRING)"
        }
        fields.mkString("(struct(", ", ", "))")
      }
    values match {
      case Nil => "Write a constant, since the query has a single row."
      case Seq(value) if isPlain(value) => s"Write ${toPrettySQL(value)}."
      case _ => struct(isExactInJson).map(fields => s"Write to_json$fields.")
          .orElse(struct(isExactInAvro).map(fields => s"Write to_avro$fields, or $INEXACT"))
          .getOrElse(OTHER_TYPES)
    }
  }

  /** Whether a struct consists of all values, or of the texts of inexact ones, and constants. */
  private def isStruct(struct: CreateNamedStruct, exact: Expression => Boolean): Boolean = {
    def has(field: Expression, value: Expression): Boolean = field match {
      case GroupingColumns.WindowBound(window) if window.semanticEquals(value) => true
      case _ => isText(field, value) || exact(value) && GroupingColumns.isSame(field, value)
    }
    val fields = struct.valExprs
    values.forall(value => fields.exists(has(_, value))) &&
    fields.forall(field => field.foldable || values.exists(has(field, _)))
  }

  private def isExactInJson(value: Expression): Boolean = value match {
    case GroupingColumns.WindowBound(_) | GroupingColumns.Window(_) => true
    case other => other.dataType match {
        case TimestampNTZType => false
        case StringType => !isOfBytes(other, emit.child)
        case _ => hasText(other)
      }
  }

  private def isExactInAvro(value: Expression): Boolean = value.dataType match {
    case StringType | BinaryType | TimestampType | TimestampNTZType => true
    // an aggregation groups by 0.0 where a row has -0.0; EMIT KEY reports the row as it is
    case FloatType | DoubleType => !emit.isKeyed
    case _ => isExactInJson(value)
  }
}

private object TopicKey {
  private val INEXACT =
    "to_json(struct(…)) of other values: group by hex(…) of a BINARY, unix_micros(…) of a " +
      "TIMESTAMP, make_valid_utf8(…) of a text that is made of bytes."
  private val OTHER_TYPES =
    "Tell the rows apart by values of other types: STRING, BINARY, an integer, DECIMAL, BOOLEAN, " +
      "DATE, TIMESTAMP or TIMESTAMP_NTZ."

  private def isPlain(value: Expression): Boolean =
    value.dataType == StringType || value.dataType == BinaryType

  private def hasText(value: Expression): Boolean = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType | _: DecimalType => true
    case BooleanType | DateType | TimestampNTZType => true
    case _ => false
  }

  private def isText(expression: Expression, value: Expression): Boolean = expression match {
    case cast: Cast =>
      cast.dataType == StringType && hasText(value) && GroupingColumns.isSame(cast.child, value)
    case _ => false
  }

  /** Matches `to_avro(struct(…))` with the schema of the struct. */
  private object AvroRecord {
    def unapply(call: Expression): Option[CreateNamedStruct] =
      if (call.prettyName != "to_avro") None
      else call.productIterator.toSeq match {
        case Seq(struct: CreateNamedStruct, None | Literal(null, _)) => Some(struct)
        case _ => None
      }
  }

  /** Whether a text is made of bytes somewhere in a plan, so that it may not be UTF-8. */
  private def isOfBytes(text: Expression, plan: LogicalPlan): Boolean = {
    def below(columns: Seq[(Attribute, Expression)], child: LogicalPlan): Boolean = {
      val found = AttributeMap(columns)
      isOfBytes(text.transform { case column: Attribute => found.getOrElse(column, column) }, child)
    }
    def named(list: Seq[NamedExpression]) = list.collect { case a: Alias =>
      a.toAttribute -> a.child
    }
    plan match {
      case Project(list, child) => below(named(list), child)
      case Aggregate(_, list, child, _) => below(named(list), child)
      case Expand(rows, output, child) => rows.exists(row => below(output.zip(row), child))
      case union: Union =>
        union.children.exists(child => below(union.output.zip(child.output), child))
      case other if other.children.nonEmpty => other.children.exists(isOfBytes(text, _))
      case _ => isMade(text)
    }
  }

  private def isMade(text: Expression): Boolean = text match {
    case _: MakeValidUTF8 | _: ValidateUTF8 => false
    case cast: Cast if cast.child.dataType == BinaryType => true
    case other => other.children.exists(isMade)
  }
}
