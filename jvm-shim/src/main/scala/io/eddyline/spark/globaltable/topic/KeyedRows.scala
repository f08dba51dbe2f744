package io.eddyline.spark.globaltable.topic

import scala.collection.immutable.{HashMap, TreeMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types._

/**
 * The rows of a table, in the memory of the driver.
 *
 * @param bytes the size of the rows, as MAX BYTES counts it
 */
private[globaltable] case class KeyedRows(byKey: Map[InternalRow, UnsafeRow], bytes: Long = 0) {

  /** Returns the rows after the changes of some keys. */
  def changed(changes: IterableOnce[(InternalRow, Change)]): KeyedRows =
    changes.iterator.foldLeft(this) { case (rows, (key, change)) =>
      val otherBytes = rows.bytes - KeyedRows.sizeOf(rows.byKey.get(key))
      if (change.isDeleted) KeyedRows(rows.byKey - key, otherBytes)
      else KeyedRows(rows.byKey.updated(key, change.row), otherBytes + change.row.getSizeInBytes)
    }
}

private[globaltable] object KeyedRows {

  /** Returns the size of a row in bytes; 0 if there is none. */
  def sizeOf(row: Option[UnsafeRow]): Long = row.fold(0L)(_.getSizeInBytes.toLong)
}

/** The primary key of a table over a topic. */
private[globaltable] class TopicKey(topic: TopicDefinition) {
  private val columns = topic.keyColumns.map { column =>
    BoundReference(topic.columns.indexOf(column), column.dataType, nullable = true)
  }
  private val project = UnsafeProjection.create(columns)

  /** Returns the key of a row. */
  def of(row: InternalRow): InternalRow = project(row).copy()

  /** Returns an empty map from keys. */
  def emptyMap[V]: Map[InternalRow, V] = {
    val types = columns.map(_.dataType)
    if (types.forall(TopicKey.isEqualByBytes)) HashMap.empty
    else TreeMap.empty[InternalRow, V](InterpretedOrdering.forSchema(types))
  }
}

private object TopicKey {

  /** Whether two values are equal only if their bytes are. */
  private def isEqualByBytes(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType | _: StructType | _: ArrayType => false
    case other => UnsafeRowUtils.isBinaryStable(other)
  }
}
