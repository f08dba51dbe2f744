package io.eddyline.spark.globaltable.refresh

import java.util.Arrays

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions
import org.apache.spark.sql.types._

import io.eddyline.spark.globaltable.version._

/**
 * Writes a version like [[ChangeWriter]], but in the memory of the driver and without a job: as
 * changes of an earlier one, as long as the base has not too many rows and its changes are few, or
 * with all rows. If another application or a job has written the base, jobs read its keys first.
 */
private[refresh] class DriverChanges(writer: ChangeWriter, session: SparkSession) {
  import DriverChanges._

  private val keys = writer.keyNames.map { name =>
    val at = writer.changeType.fieldIndex(name)
    BoundReference(at, writer.changeType(at).dataType, nullable = false)
  }
  private lazy val project = UnsafeProjection.create(keys)
  private val hash = new XxHash64(keys)

  /** Returns the key of a change. */
  def keyOf(change: InternalRow): UnsafeRow = project(change).copy()

  /** Whether the driver can tell keys apart. */
  val knowsKeys: Boolean = keys.forall(key => isEqualByBytes(key.dataType))

  /** Whether a version is so small that the driver can hold its changes and hashes of its keys. */
  def isSmall(version: Version): Boolean = {
    val base = writer.snapshots.baseOf(version)
    val changedBytes = version.bytes.getOrElse(0L) - base.bytes.getOrElse(0L)
    knowsKeys && version.rows.isDefined && changedBytes <= MAX_BYTES &&
    base.rows.exists(_ <= MAX_BASE_ROWS)
  }

  /**
   * Returns what the driver has to know of a version.
   *
   * @param known what it knows already, perhaps of another version
   */
  def knownOf(version: Version, known: Option[KnownVersion]): KnownVersion =
    known.filter(_.name == version.name).getOrElse(load(version, known))

  /**
   * Writes a version that has the news too, as changes of the base, and returns it; without news
   * `last`. None: the changes are many.
   *
   * @param news the new change of each key
   */
  def apply(
      known: KnownVersion,
      news: Map[UnsafeRow, UnsafeRow],
      last: Version,
      draft: Path): Option[(Version, KnownVersion)] = {
    val next = known.copy(changes = known.changes ++ news)
    if (news.isEmpty) Some(last -> known)
    else if (next.changes.size > FEW && !writer.areFew(next.changes.size, last)) None
    else {
      val more = news.map { case (key, change) =>
        rows(known.isRow(change)) - rows(known.hasRow(key)(hash.eval(change).asInstanceOf[Long]))
      }.sum
      val version = writer.changed(known.base, last.rows.get + more)
      DriverFile.write(next.changes.values, writer.changeType, draft, session)
      Some(version -> next)
    }
  }

  /**
   * Writes a version that has the rows of some changes alone; returns it and its rows.
   *
   * @param changes the change of each key
   */
  def writeAll(changes: Iterable[UnsafeRow], draft: Path): (Version, WrittenRows) = {
    val row = UnsafeProjection.create(writer.rowType)
    val rows = changes.filterNot(_.getBoolean(writer.rowType.length)).map(row(_).copy()).toSeq
    val version = writer.whole(rows.length, rows.map(_.getSizeInBytes.toLong).sum)
    DriverFile.write(rows, writer.rowType, draft, session)
    val keys = rows.map(hash.eval(_).asInstanceOf[Long]).toArray
    Arrays.parallelSort(keys)
    version -> WrittenRows(
      LocalRelation(toAttributes(writer.rowType), rows), writer.changeType, keys)
  }

  private def rows(isThere: Boolean): Int = if (isThere) 1 else 0

  private def load(version: Version, known: Option[KnownVersion]): KnownVersion = {
    val base = writer.snapshots.baseOf(version)
    val hashes = known.filter(_.base.name == base.name).map(_.baseKeys).getOrElse {
      val read = writer.rowsOf(base).select(functions.xxhash64(writer.keyColumns: _*))
        .queryExecution.toRdd.map(_.getLong(0)).collect()
      Arrays.parallelSort(read)
      read
    }
    val changes = writer.changesOf(version).toSeq.flatMap { changes =>
      changes.queryExecution.executedPlan.executeCollect().map { change =>
        keyOf(change) -> change.asInstanceOf[UnsafeRow]
      }
    }
    KnownVersion(version.name, base, writer.changeType, changes.toMap, hashes)
  }
}

private object DriverChanges {

  /** A number of changes that is few even if the base has not more rows. */
  private val FEW = 10000

  /** The hashes of the keys of so many rows take 32 MiB. */
  private val MAX_BASE_ROWS = 4L << 20

  /** The size of a file of changes that is written again for each version. */
  private val MAX_BYTES = 8L << 20

  /** Whether two values are equal only if their bytes are; false if it takes more to tell. */
  private def isEqualByBytes(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType | _: StructType | _: ArrayType => false
    case other => UnsafeRowUtils.isBinaryStable(other)
  }
}

/**
 * What the driver knows of a version.
 *
 * @param base the version that it changes; itself if it has all rows
 * @param changeType the columns of a change: those of the table, and whether it deletes the row
 * @param changes the change of each key that is not as in the base
 * @param baseKeys the sorted hashes, of 64 bits, of the keys of the base
 */
private[refresh] case class KnownVersion(
    name: String,
    base: Version,
    changeType: StructType,
    changes: Map[UnsafeRow, UnsafeRow],
    baseKeys: Array[Long]) {

  /** Whether a version has a row of a key, of which `hash` is the hash. */
  def hasRow(key: UnsafeRow)(hash: => Long): Boolean =
    changes.get(key).fold(Arrays.binarySearch(baseKeys, hash) >= 0)(isRow)

  /** Whether a change is a row, and not a tombstone. */
  def isRow(change: UnsafeRow): Boolean = !change.getBoolean(changeType.length - 1)

  /** Returns a plan that has the changes, with these columns. */
  def plan(columns: Seq[AttributeReference]): LogicalPlan =
    NamedColumns.of(LocalRelation(toAttributes(changeType), changes.values.toSeq), columns)
}

/**
 * What the driver has of a version that it has written with all rows.
 *
 * @param rows the rows
 * @param changeType the columns of a change
 * @param keys the sorted hashes, of 64 bits, of the keys
 */
private[refresh] case class WrittenRows(
    rows: LocalRelation,
    changeType: StructType,
    keys: Array[Long]) {

  /** Returns what the driver knows of the version, as it was published. */
  def known(version: Version): KnownVersion =
    KnownVersion(version.name, version, changeType, changes = Map.empty, keys)
}
