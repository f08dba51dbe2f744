package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.LeftAnti
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.BooleanType

import io.eddyline.spark.base.FreeName

/**
 * Reads a version that is stored as changes of another one: a row, or a tombstone, for each key
 * that is not as in the base.
 */
private[globaltable] object ChangedRelation {

  /** The column of changes, beside those of the table, that tells whether the key has no row. */
  def deleted(columns: Seq[String]): AttributeReference =
    AttributeReference(FreeName.of("__eddyline_deleted", columns), BooleanType, nullable = false)()

  /**
   * @param base reads the rows of the base
   * @param changes reads the changes; given the columns to read
   * @return a plan with the attributes of `base`
   */
  def apply(base: LogicalPlan, primaryKey: Seq[String])(
      changes: Seq[AttributeReference] => LogicalPlan): LogicalPlan = {
    def copy(column: Attribute) =
      AttributeReference(column.name, column.dataType, column.nullable, column.metadata)()
    val columns = base.output.map(copy)
    val flag = deleted(columns.map(_.name))
    val upserts = Project(columns, Filter(Not(flag), changes(columns :+ flag)))
    val pairs = primaryKey.map { key =>
      // whatever spark.sql.caseSensitive is for the query that reads
      val column = base.output.find(_.name == key).orElse(
        base.output.find(_.name.equalsIgnoreCase(key))).get
      column -> copy(column)
    }
    val condition = pairs.map { case (column, changed) => EqualTo(column, changed) }
      .reduce[Expression](And)
    // the rows of the base whose keys have no change
    val unchanged = Join(base, changes(pairs.map(_._2)), LeftAnti, Some(condition),
      JoinHint(None, Some(HintInfo(Some(BROADCAST)))))
    Union(Seq(unchanged, upserts))
  }
}
