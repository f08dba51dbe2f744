package io.eddyline.spark.streamingquery

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.classic.{DataFrame, SparkSession}

import io.eddyline.spark.base.{EddylineErrors, RepeatedKeys}

/**
 * The MERGE of UPSERT INTO … KEY: a row replaces the columns of the row with its key, or is
 * inserted. Columns are matched by name, and NULL is a value of a key.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.DUPLICATE_KEY, UPSERT_KEY_MISSING, UPSERT_NOT_SUPPORTED.
 *
 * @param session parses the statement
 */
private[streamingquery] class BatchUpsert(session: SparkSession, sink: TableSink) {
  import BatchUpsert._

  /** Returns the MERGE of rows. */
  def statement(rows: LogicalPlan): LogicalPlan = {
    val names = rows.output.map(_.name)
    requireKey(names)
    val text = merge(names)
    session.sessionState.sqlParser.parsePlan(text) match {
      case merge: MergeIntoTable =>
        val target = CurrentOrigin.withOrigin(sink.table.origin) {
          merge.targetTable.transform { case table: UnresolvedRelation => table.copy() }
        }
        merge.copy(targetTable = target, sourceTable = SubqueryAlias(SOURCE, rows))
    }
  }

  /** Checks that the analyzer has found out how the table is merged into. */
  def requireSupported(analyzed: LogicalPlan): Unit = analyzed match {
    case _: MergeIntoTable => throw notSupported
    case _ =>
  }

  def notSupported: Throwable =
    EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED",
      Map("table" -> sink.tableName), sink.table.origin)

  /** Checks that no two rows of a micro-batch have the same key: one would win by chance. */
  def requireUnique(rows: DataFrame, batch: Long): Unit = {
    val repeated: Array[Row] = RepeatedKeys.of(rows, sink.keyNames).limit(1).collect()
    repeated.foreach { row =>
      throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.DUPLICATE_KEY",
        Map(
          "table" -> sink.tableName,
          "batch" -> batch.toString,
          "key" -> row.toSeq.init.mkString("(", ", ", ")"),
          "count" -> row.toSeq.last.toString),
        sink.table.origin)
    }
  }

  private def isKey(name: String): Boolean =
    sink.keyNames.exists(session.sessionState.conf.resolver(_, name))

  private def requireKey(names: Seq[String]): Unit =
    sink.key.foreach { key =>
      val column = key.nameParts.last
      if (!names.exists(session.sessionState.conf.resolver(_, column))) {
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.UPSERT_KEY_MISSING",
          Map("column" -> column, "columns" -> names.mkString(", ")), key.origin)
      }
    }

  private def merge(names: Seq[String]): String = {
    val columns = names.map(quoteIdentifier)
    val same = sink.keyNames.map(quoteIdentifier).map(key => s"$TARGET.$key <=> $SOURCE.$key")
    val changes = names.filterNot(isKey).map(quoteIdentifier)
      .map(column => s"$TARGET.$column = $SOURCE.$column")
    val update =
      if (changes.isEmpty) "" else s"WHEN MATCHED THEN UPDATE SET ${changes.mkString(", ")}"
    s"""MERGE INTO ${sink.tableName} AS $TARGET USING $SOURCE ON ${same.mkString(" AND ")} $update
       |WHEN NOT MATCHED THEN INSERT ${columns.mkString("(", ", ", ")")}
       |VALUES ${columns.map(column => s"$SOURCE.$column").mkString("(", ", ", ")")}""".stripMargin
  }
}

private object BatchUpsert {
  private val TARGET = "eddyline_target"
  private val SOURCE = "eddyline_source"
}
