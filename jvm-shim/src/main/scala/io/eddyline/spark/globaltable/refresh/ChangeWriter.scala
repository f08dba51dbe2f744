package io.eddyline.spark.globaltable.refresh

import java.io.FileNotFoundException

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{classic, functions, Column, Observation}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.types.{BooleanType, StructType}

import io.eddyline.spark.globaltable.version._

/**
 * Writes a version as the changes of an earlier one, its base, as long as these are few. A change
 * is a row of the table, or a tombstone, and the flag [[ChangedRelation.deleted]].
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.TOO_LARGE.
 *
 * @param schema the columns of the table
 * @param keyNames the columns of its primary key, at least one
 */
private[refresh] class ChangeWriter(
    source: Source,
    schema: StructType,
    val keyNames: Seq[String],
    val snapshots: Snapshots,
    session: SparkSession) {
  import ChangeWriter._

  /** The column of a change that tells whether it is a tombstone. */
  val deleted: AttributeReference = ChangedRelation.deleted(schema.fieldNames.toSeq)

  /** The columns of a row. */
  val rowType: StructType = StructType(schema.map(_.copy(nullable = true)))

  /** The columns of a change. */
  val changeType: StructType = rowType.add(deleted.name, BooleanType)

  /** The key of a row. */
  val keyColumns: Seq[Column] = columnsOf(keyNames)

  /** Whether a change is a tombstone. */
  val isDeleted: Column = functions.col(deleted.name)

  /** The columns of the table. */
  private val columns = columnsOf(schema.fieldNames.toSeq)

  /** Returns the rows of a version. */
  def rowsOf(version: Version): classic.DataFrame = SessionInternals.frame(session,
    SnapshotRelation.of(snapshots, version, keyNames, toAttributes(rowType), session).get)

  /** Whether the driver can broadcast so many changes of a version: few of the rows of its base. */
  def areFew(changes: Long, last: Version): Boolean =
    changes <= snapshots.baseOf(last).rows.getOrElse(0L) / REBASE

  /** Writes new changes, one of a key, into a draft, for `apply`; returns their number. */
  def stage(news: classic.DataFrame, draft: Path): Long =
    writeChanges(news, new Path(draft, NEW))._1

  /**
   * Writes a version that has the new changes of the draft too, either as changes of the base of
   * `last` or as all rows. The caller sets the fingerprint or the offsets of the returned version.
   *
   * @param number the number of new changes, as `stage` returned it
   */
  def apply(last: Version, draft: Path, number: Long): Version = {
    val news = changes(new Path(draft, NEW))
    val made =
      if (areFew(number, last)) writeFew(news, last, draft) else writeAll(news, last, draft)
    remove(draft, _ == NEW)
    made
  }

  /** Writes rows; returns the version that has them alone. */
  def writeRows(rows: classic.DataFrame, draft: Path): Version = {
    val written = Observation()
    rows.observe(written, functions.count(functions.lit(1)).as(ROWS),
      SnapshotWriter.bytesOf(rows).as(BYTES)).write.mode("append").parquet(draft.toString)
    whole(written.get(ROWS).asInstanceOf[Long], SnapshotWriter.bytes(written.get(BYTES)))
  }

  /** Returns the version that has so many rows itself, of so many bytes. */
  def whole(rows: Long, bytes: Long): Version = {
    SnapshotWriter.requireSize(source.relation.id, source.options, rows, bytes)
    Version(name = "", number = 0, fingerprint = "", rows = Some(rows))
  }

  /** Writes the changes of the base, or all rows if they have become many. */
  private def writeFew(news: classic.DataFrame, last: Version, draft: Path): Version = {
    val base = snapshots.baseOf(last)
    val all = changesOf(last).fold(news)(
      _.join(functions.broadcast(news), keyNames, "left_anti").select(columns :+ isDeleted: _*)
        .union(news))
    val (number, upserts) = writeChanges(all, draft)
    if (!areFew(number, last)) {
      remove(draft, name => !name.startsWith("_"))
      writeAll(news, last, draft)
    } else {
      val replaced = rowsOf(base).select(keyColumns: _*).join(
        functions.broadcast(changes(draft).select(keyColumns: _*)), keyNames, "left_semi").count()
      changed(base, base.rows.get - replaced + upserts)
    }
  }

  /** Returns the version that changes a base and has so many rows. */
  def changed(base: Version, rows: Long): Version = {
    SnapshotWriter.requireSize(source.relation.id, source.options, rows, 0)
    Version(
      name = "", number = 0, fingerprint = "", rows = Some(rows), base = Some(base.name))
  }

  /** Writes all rows; joins without a hint, because the new changes may be many. */
  private def writeAll(news: classic.DataFrame, last: Version, draft: Path): Version = {
    val rows = rowsOf(last).join(news.select(keyColumns: _*), keyNames, "left_anti")
    writeRows(rows.select(columns: _*).union(news.where(!isDeleted).select(columns: _*)), draft)
  }

  /**
   * Returns the changes that a version has of its base; None: it has all rows itself. Errors:
   * FileNotFoundException, if its snapshot was removed.
   */
  def changesOf(version: Version): Option[classic.DataFrame] = version.base.map { _ =>
    snapshots.listed(version)(changes).getOrElse(
      throw new FileNotFoundException(s"The snapshot ${snapshots.path(version)} was removed"))
  }

  /** Writes changes; returns the number of all and of those that are no tombstones. */
  private def writeChanges(changes: classic.DataFrame, folder: Path): (Long, Long) = {
    val written = Observation()
    changes.select(columns :+ isDeleted: _*).coalesce(FILES)
      .observe(written, functions.count(functions.lit(1)).as(ROWS),
        functions.count_if(!isDeleted).as(UPSERTS))
      .write.mode("append").parquet(folder.toString)
    (written.get(ROWS).asInstanceOf[Long], written.get(UPSERTS).asInstanceOf[Long])
  }

  /** Removes the files and folders of a draft that have such names. */
  private def remove(draft: Path, isGone: String => Boolean): Unit = {
    val files = draft.getFileSystem(session.sessionState.newHadoopConf())
    files.listStatus(draft).map(_.getPath).filter(path => isGone(path.getName))
      .foreach(files.delete(_, true))
  }

  private def changes(folder: Path): classic.DataFrame =
    SnapshotRelation.reader(session).schema(changeType).parquet(folder.toString)

  private def columnsOf(names: Seq[String]): Seq[Column] =
    names.map(name => functions.col(quoteIfNeeded(name)))
}

private object ChangeWriter {
  private val ROWS = "rows"
  private val BYTES = "bytes"
  private val UPSERTS = "upserts"

  /** The folder of the new changes in a draft; readers of Parquet ignore such a name. */
  private val NEW = "_new"

  /** The part of the rows of a base above which changes of it are written as all rows. */
  private val REBASE = 10
  private val FILES = 1
}
