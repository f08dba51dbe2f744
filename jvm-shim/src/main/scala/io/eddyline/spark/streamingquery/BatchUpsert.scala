package io.eddyline.spark.streamingquery

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.{TableOutputResolver, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util._
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.functions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{CharType, DataType, VarcharType}

import io.eddyline.spark.base.{ChangeTypes, EddylineErrors, RepeatedKeys}
import io.eddyline.spark.emit.{Changes, GroupingColumns}
import io.eddyline.spark.emit.clause.Emit

/**
 * The MERGE of UPSERT INTO … KEY: a row replaces the columns of the row with its key, or is
 * inserted. Columns are matched by name, and NULL is a value of a key. If the query says the type
 * of a change, rows are deleted too, and the column with the type is not stored.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.CHANGES_KEY, CHANGES_KEY_TYPE, DUPLICATE_KEY,
 * UPSERT_KEY_MISSING, UPSERT_NOT_SUPPORTED, and Spark's of the casts of an INSERT.
 *
 * @param session parses the statement
 * @param query the analyzed query, whose form may show that no key is repeated
 * @param changes the changes of the query, of which a column has the type
 */
private[streamingquery] class BatchUpsert(
    session: SparkSession, sink: TableSink, query: LogicalPlan, changes: Option[Changes]) {
  import BatchUpsert._

  private val changeType = changes.flatMap(_.column).map(_.name)

  private def conf: SQLConf = session.sessionState.conf

  /** The names of those columns of the query that the table stores. */
  def storedNames(names: Seq[String]): Seq[String] = names.filterNot(changeType.contains)

  /** Returns the changes of a micro-batch that decide: the last one of each key. */
  def latest(batch: DataFrame): DataFrame = changes.fold(batch) { changes =>
    val change = col(quoteIdentifier(changes.column.get.name))
    val images = batch.where(change =!= ChangeTypes.PREIMAGE.toString)
    if (!changes.isRepeated) {
      images
    } else {
      // a task has all changes of a key, in their order
      def row(names: Seq[String]) = struct(names.map(name => col(quoteIdentifier(name))): _*)
      SessionInternals.withoutPlan(
        images.select(row(sink.keyNames).as("key"), row(batch.columns.toSeq).as("change"),
          monotonically_increasing_id().as("order"))
          .groupBy("key").agg(max_by(col("change"), col("order")).as("last")).select("last.*"))
    }
  }

  /**
   * Returns rows whose keys have the types of the table. Two keys of the query may be one key of
   * the table, and MERGE must find its row. It casts the other columns itself.
   *
   * @param columns the columns of the table
   */
  def withKeysCast(rows: LogicalPlan, columns: Seq[Attribute]): LogicalPlan =
    Project(
      rows.output.map { column =>
        columns.find(of => isKey(of.name) && conf.resolver(of.name, column.name))
          .fold[NamedExpression](column)(cast(column, _, rows))
      },
      rows)

  private def cast(column: Attribute, to: Attribute, rows: LogicalPlan): NamedExpression =
    TableOutputResolver.resolveOutputColumns(
      sink.tableName, Seq(to), Project(Seq(column), rows), byName = true, conf) match {
      case Project(Seq(result), _) => result
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
    case _: MergeIntoTable => refuse(
        "Use INSERT INTO with WITH BATCH ID, so that a reader can take the last row of a key.")
    case _ =>
  }

  /** Refuses a table that cannot be merged into. */
  def refuse(hint: String): Nothing =
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED", sink.table.origin,
      "table" -> sink.tableName, "hint" -> hint)

  /**
   * Whether the query is grouped by columns of the key, and the table keeps their differences. Then
   * no micro-batch has two rows of a key, which needs no check.
   *
   * @param columns the columns of the table
   */
  def hasUniqueKeys(columns: Seq[Attribute]): Boolean = {
    val emit = Emit.findIn(query)
    val rows = withKeysCast(query.transformUp { case emit: Emit => emit.child }, columns)
    // a row that is repeated may be that of another group now
    emit.forall(_.heartbeat.isEmpty) && GroupingColumns.of(rows, GroupingColumns.ctes(query))
      .exists(_.forall(_.columns.exists(column => isKey(column.name))))
  }

  /** Checks that no two rows of a micro-batch have the same key: one would win by chance. */
  def requireUnique(rows: DataFrame, batch: Long): Unit = {
    val repeated: Array[Row] = RepeatedKeys.of(rows, sink.keyNames).limit(1).collect()
    repeated.foreach { row =>
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.DUPLICATE_KEY", sink.table.origin,
        "table" -> sink.tableName, "batch" -> batch.toString,
        "key" -> row.getString(0), "count" -> row.getLong(1).toString)
    }
  }

  private def isKey(name: String): Boolean = sink.keyNames.exists(conf.resolver(_, name))

  /**
   * Checks that a row that is gone is found by the key, and no other one.
   *
   * @param columns the columns of the table
   */
  def requireChanges(columns: Seq[Attribute]): Unit = changes.foreach { changes =>
    val keys = changes.keys.toSeq.flatten
    val named = keys.map(_.filter(column => isKey(column.name)))
    val isKnown = named.forall(_.nonEmpty) && sink.keyNames.forall(name =>
      named.exists(_.exists(column => conf.resolver(column.name, name))))
    if (!isKnown) {
      val found = if (keys.forall(_.nonEmpty)) keys.map(_.head.name) else changes.identitySql
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHANGES_KEY", sink.key.head.origin,
        "key" -> sink.keyNames.mkString(", "),
        "columns" -> (if (found.isEmpty) "no column" else found.mkString(", ")))
    }
    named.flatten.foreach(requireDifferences(_, columns))
  }

  /** Checks that the column of the table tells apart what the query tells apart. */
  private def requireDifferences(key: Attribute, columns: Seq[Attribute]): Unit =
    columns.find(column => conf.resolver(column.name, key.name)).foreach { column =>
      val value = key.withNullability(key.nullable && column.nullable)
      val stored = cast(value, column, query) match {
        // a call that only checks or pads the length of a CHAR or VARCHAR
        case Alias(call: StaticInvoke, name)
            if call.staticObject == classOf[CharVarcharCodegenUtils] && fits(key, column) =>
          Alias(call.arguments.head, name)()
        case other => other
      }
      if (GroupingColumns.columnsWith(value, Seq(stored)).isEmpty) {
        val place = sink.key.find(name => conf.resolver(name.nameParts.last, key.name)).get.origin
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHANGES_KEY_TYPE", place,
          "column" -> column.name, "table" -> sink.tableName,
          "type" -> declared(column).sql, "found" -> declared(key).sql)
      }
    }

  /** Whether the length of a key neither grows by blanks nor shrinks by those at its end. */
  private def fits(key: Attribute, column: Attribute): Boolean =
    (declared(key), declared(column)) match {
      case (from: CharType, to: CharType) => from.length <= to.length
      case (from: CharType, to: VarcharType) => from.length <= to.length
      case (from: VarcharType, to: VarcharType) => from.length <= to.length
      case _ => false
    }

  /** The type of a column with its length, for which Spark has STRING in plans. */
  private def declared(column: Attribute): DataType =
    CharVarcharUtils.getRawType(column.metadata).getOrElse(column.dataType)

  /** Checks that the key is among the columns of the query. */
  def requireKey(names: Seq[String]): Unit =
    sink.key.foreach { key =>
      val column = key.nameParts.last
      if (!names.exists(conf.resolver(_, column))) {
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.UPSERT_KEY_MISSING", key.origin,
          "column" -> column, "columns" -> names.mkString(", "))
      }
    }

  private def merge(all: Seq[String]): String = {
    val names = storedNames(all)
    val columns = names.map(quoteIdentifier)
    val same = sink.keyNames.map(quoteIdentifier).map(key => s"$TARGET.$key <=> $SOURCE.$key")
    val changes = names.filterNot(isKey).map(quoteIdentifier)
      .map(column => s"$TARGET.$column = $SOURCE.$column")
    val update =
      if (changes.isEmpty) "" else s"WHEN MATCHED THEN UPDATE SET ${changes.mkString(", ")}"
    val isDelete = changeType.map { column =>
      s"$SOURCE.${quoteIdentifier(column)} = '${ChangeTypes.DELETE}'"
    }
    val delete = isDelete.fold("")(condition => s"WHEN MATCHED AND $condition THEN DELETE")
    val present = isDelete.fold("")(condition => s"AND NOT ($condition)")
    s"""MERGE INTO ${sink.tableName} AS $TARGET USING $SOURCE ON ${same.mkString(" AND ")}
       |$delete $update
       |WHEN NOT MATCHED $present THEN INSERT ${columns.mkString("(", ", ", ")")}
       |VALUES ${columns.map(column => s"$SOURCE.$column").mkString("(", ", ", ")")}""".stripMargin
  }
}

private object BatchUpsert {
  private val TARGET = "eddyline_target"
  private val SOURCE = "eddyline_source"
}
