package io.eddyline.spark.streamingquery

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.util.{quoteIdentifier, quoteIfNeeded}

/**
 * The target of a query.
 *
 * @param table the parsed name of the target table
 * @param columns the columns listed after the table; empty if none were
 * @param byName whether columns are matched by name and not by position
 * @param batchId the column for the number of the micro-batch; None: no column
 * @param key the columns by which UPSERT INTO merges; empty: INSERT INTO
 */
case class TableSink(
    table: UnresolvedRelation,
    columns: Seq[String],
    byName: Boolean,
    batchId: Option[String],
    key: Seq[UnresolvedAttribute]) {

  def name: Seq[String] = table.multipartIdentifier

  def keyNames: Seq[String] = key.map(_.nameParts.last)

  def tableName: String = name.map(quoteIfNeeded).mkString(".")

  def sql: String = {
    val list = if (columns.isEmpty) "" else columns.map(quoteIdentifier).mkString(" (", ", ", ")")
    val matching = if (byName) " BY NAME" else ""
    val batch = batchId.fold("")(column => s" WITH BATCH ID ${quoteIfNeeded(column)}")
    if (key.isEmpty) s"INSERT INTO $tableName$list$matching$batch"
    else {
      val by = keyNames.map(quoteIdentifier).mkString("(", ", ", ")")
      s"UPSERT INTO $tableName KEY $by$batch"
    }
  }
}
