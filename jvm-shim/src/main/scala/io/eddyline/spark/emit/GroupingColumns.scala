package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types._

/**
 * A value that identifies, with others, a row of the result of an aggregation.
 *
 * @param grouping an expression that the aggregation groups by
 * @param columns the columns of the result that have its value
 */
private[spark] case class GroupingColumn(grouping: Expression, columns: Seq[Attribute]) {

  /** The column by which EMIT keeps state, if possible one by which the watermark removes it. */
  def column: Option[Attribute] =
    columns.find(GroupingColumns.hasWatermark).orElse(columns.headOption)

  /** Whether the aggregation removes old windows, but no column of the result says which. */
  def neverExpires: Boolean = grouping match {
    case named: NamedExpression if !named.metadata.contains(SessionWindow.marker) =>
      GroupingColumns.hasWatermark(named) && !column.exists(GroupingColumns.hasWatermark)
    case _ => false
  }

  /** Returns the value with the columns that it has above a projection. */
  def above(list: Seq[NamedExpression]): GroupingColumn =
    copy(columns = columns.flatMap(GroupingColumns.columnsWith(_, list)).distinct)
}

private[spark] object GroupingColumns {
  private val INTEGERS = Set[DataType](ByteType, ShortType, IntegerType, LongType)

  /** Returns the queries of the common table expressions in a plan, by their ids. */
  def ctes(plan: LogicalPlan): Map[Long, LogicalPlan] =
    plan.collect { case definition: CTERelationDef => definition.id -> definition.child }.toMap

  /**
   * Returns the values by which an aggregation groups; or the operator because of which the result
   * of a plan is not that of one aggregation.
   *
   * @param ctes the queries of the common table expressions, by their ids
   */
  def of(
      plan: LogicalPlan, ctes: Map[Long, LogicalPlan]): Either[LogicalPlan, Seq[GroupingColumn]] =
    plan match {
      case Aggregate(grouping, list, _, _) =>
        Right(grouping.map(expression => GroupingColumn(expression, columnsWith(expression, list))))
      case Distinct(child) => Right(child.output.map(column => GroupingColumn(column, Seq(column))))
      case Project(list, child) => of(child, ctes).map(_.map(_.above(list)))
      case Filter(_, child) => of(child, ctes)
      case SubqueryAlias(_, child) => of(child, ctes)
      case view: View => of(view.child, ctes)
      case WithCTE(child, _) => of(child, ctes)
      case reference: CTERelationRef if ctes.contains(reference.cteId) =>
        val query = ctes(reference.cteId)
        val list = query.output.zip(reference.output).map {
          case (column, renamed) => Alias(column, renamed.name)(renamed.exprId)
        }
        of(query, ctes).map(_.map(_.above(list)))
      case other => Left(other)
    }

  /** Returns the columns of a list that have a value, or that differ whenever the value differs. */
  private[spark] def columnsWith(value: Expression, list: Seq[NamedExpression]): Seq[Attribute] =
    list.filter(column => hasValue(column, value)).map { column =>
      val found = column.toAttribute
      if (!hasWatermark(found) && isEnd(column, value)) {
        found.withMetadata(new MetadataBuilder().withMetadata(found.metadata)
            .putLong(EventTimeWatermark.delayKey, 0).build())
      } else found
    }

  private[emit] def hasWatermark(column: NamedExpression): Boolean =
    column.metadata.contains(EventTimeWatermark.delayKey)

  /** Whether a column is the end of a window, by which Spark removes old windows. */
  private def isEnd(column: Expression, value: Expression): Boolean = column match {
    case Alias(child, _) => isEnd(child, value)
    case same: Attribute =>
      same.semanticEquals(value) && hasWatermark(value.asInstanceOf[Attribute])
    case GetStructField(window: Attribute, 1, _) => hasWatermark(window)
    case _ => false
  }

  /** Whether a column differs whenever a value differs. */
  private def hasValue(column: Expression, value: Expression): Boolean = column match {
    case same if isSame(same, value) => true
    case Alias(child, _) => hasValue(child, value)
    case AssertNotNull(child, _) => hasValue(child, value)
    case CheckOverflowInTableInsert(child, _) => hasValue(child, value)
    case cast: Cast => keepsDifferences(cast) && hasValue(cast.child, value)
    case WindowBound(window) => window.semanticEquals(value)
    case If(IsNull(same), Literal(null, _), struct: CreateNamedStruct) if isSame(same, value) =>
      hasFields(struct, value)
    case struct: CreateNamedStruct if !value.nullable => hasFields(struct, value)
    case _ => false
  }

  /** Whether a struct has each field of a value, like one that Spark has cast field by field. */
  private def hasFields(struct: CreateNamedStruct, value: Expression): Boolean =
    value.dataType match {
      case StructType(fields) => fields.indices.forall(field =>
          struct.valExprs.exists(hasValue(_, GetStructField(value, field))))
      case _ => false
    }

  /** Matches the start or the end of a window, and returns the window. */
  private[emit] object WindowBound {
    def unapply(expression: Expression): Option[Attribute] = expression match {
      case GetStructField(Window(window), _, _) => Some(window)
      case _ => None
    }
  }

  /** Matches the column of a time window or of a session window. */
  private[emit] object Window {
    def unapply(expression: Expression): Option[Attribute] = expression match {
      case window: Attribute
          if Seq(TimeWindow.marker, SessionWindow.marker).exists(window.metadata.contains) =>
        Some(window)
      case _ => None
    }
  }

  /** Whether two expressions are equal, even if Spark takes one for nullable and the other not. */
  private[emit] def isSame(one: Expression, other: Expression): Boolean = (one, other) match {
    case (column: Attribute, value: Attribute) => column.exprId == value.exprId
    case _ => one.semanticEquals(other)
  }

  /** Whether a cast keeps different values different; one to a double, for example, may round. */
  private def keepsDifferences(cast: Cast): Boolean =
    (cast.child.dataType, cast.dataType) match {
      case (FloatType, DoubleType) => true
      case (from, to) if cast.evalMode == EvalMode.ANSI && INTEGERS(from) && INTEGERS(to) => true
      case (from, to) => Cast.canUpCast(from, to) && Seq(from, to).forall {
          case FloatType | DoubleType | TimestampType | TimestampNTZType => false
          case _: ArrayType | _: MapType | _: StructType => false
          case text: StringType => text == StringType // other collations make letters equal
          case _ => true
        }
    }
}
