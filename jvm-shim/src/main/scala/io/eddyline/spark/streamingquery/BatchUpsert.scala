package io.eddyline.spark.streamingquery

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.{TableOutputResolver, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{EddylineErrors, RepeatedKeys}
import io.eddyline.spark.emit.GroupingColumns
import io.eddyline.spark.emit.clause.Emit

/**
 * The MERGE of UPSERT INTO … KEY: a row replaces the columns of the row with its key, or is
 * inserted. Columns are matched by name, and NULL is a value of a key.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.DUPLICATE_KEY, UPSERT_KEY_MISSING, UPSERT_NOT_SUPPORTED, and
 * Spark's of the casts of an INSERT.
 *
 * @param session parses the statement
 * @param query the analyzed query, whose form may show that no key is repeated
 */
private[streamingquery] class BatchUpsert(
    session: SparkSession, sink: TableSink, query: LogicalPlan) {
  import BatchUpsert._

  private def conf: SQLConf = session.sessionState.conf

  /**
   * Returns rows whose keys have the types of the table. Two keys of the query may be one key of
   * the table, and MERGE must find its row. It casts the other columns itself.
   *
   * @param columns the columns of the table
   */
  def stored(rows: LogicalPlan, columns: Seq[Attribute]): LogicalPlan =
    Project(
      rows.output.map { column =>
        columns.find(of => isKey(of.name) && conf.resolver(of.name, column.name))
          .fold[NamedExpression](column)(cast(column, _, rows))
      },
      rows)

  private def cast(column: Attribute, to: Attribute, rows: LogicalPlan): NamedExpression =
    TableOutputResolver.resolveOutputColumns(
      sink.tableName, Seq(to), Project(Seq(column), rows), byName = true, conf) match {
      case Project(Seq(stored), _) => stored
    }

  /** Returns the MERGE of rows. */
  def statement(rows: LogicalPlan): LogicalPlan = {
    val text = merge(rows.output.map(_.name))
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

  /**
   * Whether the query is grouped by columns of the key, and the table keeps their differences. Then
   * no micro-batch has two rows of a key, which needs no check.
   *
   * @param columns the columns of the table
   */
  def isGrouped(columns: Seq[Attribute]): Boolean = {
    val emit = Emit.in(query)
    val ctes = query.collect { case definition: CTERelationDef =>
      definition.id -> definition.child
    }.toMap
    val rows = query.transformUp { case emit: Emit => emit.child }
    // a row that is repeated may be that of another group now
    emit.forall(_.heartbeat.isEmpty) && GroupingColumns.of(stored(rows, columns), ctes)
      .exists(_.forall(_.column.exists(column => isKey(column.name))))
  }

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
    sink.keyNames.exists(conf.resolver(_, name))

  /** Checks that the key is among the columns of the query. */
  def requireKey(names: Seq[String]): Unit =
    sink.key.foreach { key =>
      val column = key.nameParts.last
      if (!names.exists(conf.resolver(_, column))) {
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.UPSERT_KEY_MISSING", key.origin,
          "column" -> column, "columns" -> names.mkString(", "))
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
