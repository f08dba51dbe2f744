package io.eddyline.spark.globaltable.refresh

import org.apache.spark.rpc.eddyline.BroadcastVersions
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.{BooleanType, StructType}

import io.eddyline.spark.globaltable.topic.{Change, KeyedRows, LastRecords}
import io.eddyline.spark.globaltable.version._
import io.eddyline.spark.kafka.TopicOffsets

/**
 * A version of a table over a topic that the driver has in memory, or what later records have made
 * of one.
 *
 * @param version has no name until it is published
 * @param base the version of which it is stored as changes, itself if it has all rows; None: it has
 *             all rows and is not published yet
 * @param rowType the columns of the table
 * @param changes the change of each key that is not as in the base
 * @param number that of its last change, see [[BroadcastVersions]]
 */
private[refresh] case class DriverVersion(
    version: Version,
    base: Option[Version],
    rowType: StructType,
    rows: KeyedRows,
    changes: Map[InternalRow, Change],
    number: Long = BroadcastVersions.number()) {

  /** The offsets of the next records. */
  def offsets: TopicOffsets =
    version.topic.fold(TopicOffsets.START)(at => TopicOffsets.parse(at.offsets))

  /** Returns what records make of it that end at a position: the same version if no row changes. */
  def changed(records: LastRecords, position: TopicPosition): DriverVersion = {
    val last = version.copy(
      nullKeys = version.nullKeys + records.nullKeys,
      topic = Some(position.copy(
          malformed = version.topic.fold(0L)(_.malformed) + records.malformed)))
    val changes = records.changes.toSeq
    if (changes.isEmpty && base.isDefined) copy(version = last)
    else {
      val next = rows.changed(changes)
      copy(
        version = Version("", 0, "", rows = Some(next.byKey.size.toLong),
          nullKeys = last.nullKeys, topic = last.topic),
        rows = next,
        changes = if (base.isDefined) this.changes ++ changes else this.changes,
        number = BroadcastVersions.number())
    }
  }

  /** Returns the same rows once another one, of which these go on, is published as `stored`. */
  def after(other: DriverVersion, stored: DriverVersion): DriverVersion =
    if (this eq other) stored
    else if (stored.base.map(_.name) == base.map(_.name)) this
    else {
      copy(base = stored.base,
        changes = changes.filterNot { case (key, change) =>
          other.changes.get(key).exists(_ eq change)
        })
    }

  /** Returns the version as it was published; None: another driver did so, of another base. */
  def published(as: Version): Option[DriverVersion] = Option.when(as.base == version.base)(
    copy(version = as, base = base.orElse(Some(as))))

  /** The columns of a change: those of the table, and whether it deletes the row. */
  def changeType: StructType =
    rowType.add(ChangedRelation.deleted(rowType.fieldNames.toSeq).name, BooleanType)

  /** Returns the changes as rows, of which each replaces the one before it. */
  def changeRows: Iterator[InternalRow] = {
    val row = UnsafeProjection.create(changeType)
    changes.valuesIterator.map { change =>
      row(new JoinedRow(change.row, InternalRow(change.isDeleted)))
    }
  }

  /** Returns a plan of the rows, with these columns. */
  def rowPlan(columns: Seq[AttributeReference]): LogicalPlan =
    plan(rowType, rows.byKey.valuesIterator, columns)

  /** Returns a plan of the changes, with these columns. */
  def changePlan(columns: Seq[AttributeReference]): LogicalPlan =
    plan(changeType, changeRows.map(_.copy()), columns)

  private def plan(
      types: StructType, rows: Iterator[InternalRow], columns: Seq[AttributeReference])
      : LogicalPlan =
    if (types.map(column => (column.name, column.dataType)) ==
        columns.map(column => (column.name, column.dataType))) LocalRelation(columns, rows.toVector)
    else NamedColumns.of(LocalRelation(toAttributes(types), rows.toVector), columns)
}
