package io.eddyline.spark.kafka

import org.apache.spark.sql.{classic, DataFrame, Row}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.functions.{col, when}
import org.apache.spark.sql.streaming.DataStreamWriter
import org.apache.spark.sql.types._

import io.eddyline.spark.base.{ChangeTypes, EddylineErrors}

/**
 * Writes rows as records of a topic. Spark refuses an INSERT into a table `USING kafka`, and its
 * writer of this format takes columns by name only.
 *
 * A row whose type of change is a delete becomes a tombstone: a record with its key and no value. A
 * row before an update becomes no record.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.TOPIC_COLUMNS, TOPIC_COLUMN_TYPE, TOPIC_MISSING,
 * UNRESOLVED_COLUMN.
 *
 * @param columns the columns that the INSERT lists; None: the rows have columns of these names
 * @param changeType the column of the rows with the type of a change, which is not written; None:
 *                   each row becomes a record
 */
private[spark] class TopicWriter(
    table: TopicTable, columns: Option[Seq[String]], changeType: Option[String], place: Origin) {

  /** Raises the errors that writing rows of this schema would raise. */
  def check(schema: StructType): Unit = {
    val names = namesOf(schema)
    names.zip(written(schema)).foreach { case (name, field) =>
      val (_, expected, fits) = TopicWriter.COLUMNS.find(_._1 == name).get
      if (!fits(field.dataType)) {
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.TOPIC_COLUMN_TYPE", place, tableParameter,
          "column" -> name, "expected" -> expected, "found" -> field.dataType.sql)
      }
    }
    val hasTopic = names.contains("topic")
    if (!hasTopic && table.topic(hasTopic).isEmpty) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.TOPIC_MISSING", place, tableParameter)
    }
  }

  /** The index of the key among the columns of a checked schema, without the type of a change. */
  def keyIndex(schema: StructType): Int = namesOf(schema).indexOf("key")

  /** Appends rows of a checked schema to the topic, each at least once. */
  def write(rows: DataFrame): Unit = {
    val named = records(rows)
    named.write.format(TopicTable.FORMAT)
      .options(table.writerOptions(named.columns.contains("topic"))).mode("append").save()
  }

  /** Returns a stream of rows of a checked schema into the topic, each at least once. */
  def stream(rows: DataFrame): DataStreamWriter[Row] = {
    val named = records(rows)
    named.writeStream.format(TopicTable.FORMAT)
      .options(table.writerOptions(named.columns.contains("topic")))
  }

  /** Returns the rows to write, with the columns that Spark's writer takes. */
  private def records(rows: DataFrame): DataFrame = {
    val names = namesOf(rows.schema).iterator
    val all = rows.columns.toSeq.map { name =>
      if (changeType.contains(name)) TopicWriter.CHANGE_TYPE else names.next()
    }
    val named = rows.asInstanceOf[classic.Dataset[Row]].toDF(all: _*)
    changeType.fold(named) { _ =>
      val change = col(TopicWriter.CHANGE_TYPE)
      named.where(change =!= ChangeTypes.PREIMAGE.toString)
        .withColumn("value", when(change =!= ChangeTypes.DELETE.toString, col("value")))
        .drop(TopicWriter.CHANGE_TYPE)
    }
  }

  /** The columns of the rows that are written: all but the type of a change. */
  private def written(schema: StructType): Seq[StructField] =
    schema.filterNot(field => changeType.contains(field.name))

  /** The names in a record of the columns that are written; raises errors of the names. */
  private def namesOf(schema: StructType): Seq[String] = {
    val known = TopicWriter.COLUMNS.map(_._1)
    val given = written(schema).map(_.name)
    val names = columns.getOrElse(given).map { name =>
      known.find(_.equalsIgnoreCase(name)).getOrElse {
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.UNRESOLVED_COLUMN", place, tableParameter,
          "column" -> name, "columns" -> known.mkString(", "))
      }
    }
    val reason =
      if (names.isEmpty) Some("the INSERT names no columns")
      else if (names.length != given.length) {
        Some(s"${names.length} columns are named but the query has ${given.length}")
      } else if (names.distinct != names) Some("a column is named twice")
      else if (!names.contains("value")) Some("there is no value")
      else if (changeType.nonEmpty && !names.contains("key")) Some("a delete needs a key")
      else None
    reason.foreach { reason =>
      EddylineErrors.fail(
        "EDDYLINE_STREAMING_QUERY.TOPIC_COLUMNS", place, tableParameter, "reason" -> reason)
    }
    names
  }

  /** The parameter of errors that names the table. */
  private def tableParameter: (String, String) = "table" -> quoteIfNeeded(table.name.last)
}

private object TopicWriter {
  private val CHANGE_TYPE = "_change_type"
  private val HEADERS = ArrayType(StructType(Seq(
        StructField("key", StringType), StructField("value", BinaryType))))

  /** The columns that Spark's writer takes: name, type in errors, and whether a type fits. */
  private val COLUMNS: Seq[(String, String, DataType => Boolean)] = Seq(
    ("key", "STRING or BINARY", isStringOrBinary),
    ("value", "STRING or BINARY", isStringOrBinary),
    ("topic", "STRING", _ == StringType),
    ("partition", "INT", _ == IntegerType),
    ("headers", HEADERS.sql, DataType.equalsIgnoreNullability(_, HEADERS)))

  private def isStringOrBinary(found: DataType): Boolean =
    found == StringType || found == BinaryType
}
