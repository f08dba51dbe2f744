package io.eddyline.spark.globaltable.topic

import org.apache.spark.sql.{classic, functions, Column}
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.util.PermissiveMode
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.types.StructField

import io.eddyline.spark.globaltable.version.ChangedRelation
import io.eddyline.spark.kafka.{TopicOffsets, TopicTable}

/**
 * Reads the records of a topic between two offsets as changes of a table: the last one of each key.
 *
 * The last record of a partition wins, whatever its timestamp, as in a table of Kafka Streams. Of a
 * key that is in several partitions, whose records have no order, the newest timestamp wins.
 */
private[globaltable] class TopicRecords(topic: TopicDefinition, session: SparkSession) {
  import DecodedRecords._
  import TopicRecords._

  /**
   * Returns all records, with the columns of the table, NULL where they cannot be read, and what is
   * wrong with them: [[IS_MALFORMED]], [[HAS_NULL_KEY]].
   *
   * @param from offsets from which `end` was reached
   */
  def read(from: TopicOffsets, end: TopicOffsets): classic.DataFrame = {
    val partitions = end.next.keys.mkString(s"""{"${topic.name}":[""", ",", "]}")
    val options = topic.readerOptions.filterNot(_._1.equalsIgnoreCase("subscribe"))
    val records = session.read.format(TopicTable.FORMAT).options(options)
      .option("assign", partitions)
      .option("startingOffsets", from.until(end).json(topic.name))
      .option("endingOffsets", end.json(topic.name))
      .load()
    decoded(records)
  }

  /** Decodes records that the driver has, without a job. */
  def decode(records: LocalRelation): DecodedRecords = {
    val found = decoded(SessionInternals.frame(session, records))
    val columns = topic.columns.map { column =>
      within(if (topic.keyColumns.contains(column)) KEY else VALUE, column).as(column.name)
    }
    val shown = found.select(
      columns ++ NAMES.map(functions.col) :+ isUsable.as(USABLE): _*)
    new DecodedRecords(shown.queryExecution.executedPlan.executeCollect(), shown.schema)
  }

  private def decoded(records: classic.DataFrame): classic.DataFrame = {
    val (key, value) = (functions.col("key"), functions.col("value"))
    val parsed = records.select(
      functions.col("partition").as(PARTITION),
      functions.col("offset").as(OFFSET),
      functions.col("timestamp").as(TIMESTAMP),
      key.isNull.as(NO_KEY),
      value.isNull.as(IS_DELETED),
      topic.keyFormat.strict(key, topic.keyColumns).as(KEY),
      topic.valueFormat.strict(value, topic.valueColumns).as(VALUE),
      value.as(BYTES))
    val keyIsBad = !functions.col(NO_KEY) && functions.col(KEY).isNull
    val valueIsBad = !functions.col(IS_DELETED) && functions.col(VALUE).isNull
    val keys = topic.keyColumns.map(column => within(KEY, column))
    // what can be read of a malformed value
    val rest = topic.valueFormat.permissive(functions.col(BYTES), topic.valueColumns)
    val shown =
      if (topic.mode == PermissiveMode) functions.coalesce(functions.col(VALUE), rest)
      else functions.col(VALUE)
    parsed.withColumn(IS_MALFORMED, keyIsBad || valueIsBad)
      .withColumn(HAS_NULL_KEY, !keyIsBad && keys.map(_.isNull).reduce(_ || _))
      .withColumn(VALUE, shown)
  }

  /** Returns the last record of each key, as a row and whether it deletes the key. */
  def last(records: classic.DataFrame): classic.DataFrame = {
    val parts = topic.keyColumns.indices.map(i => s"$KEY$i")
    val keys = topic.keyColumns.zip(parts).map { case (column, part) =>
      within(KEY, column).as(part)
    }
    val names = parts.map(functions.col)
    val change = functions.struct(
      functions.col(VALUE), functions.col(IS_DELETED), functions.col(TIMESTAMP))
    val latest = functions.max_by(change, functions.col(OFFSET)).as(CHANGE)
    val order = functions.struct(
      functions.col(CHANGE).getField(TIMESTAMP), functions.col(PARTITION))
    val columns = topic.columns.map { column =>
      val part = topic.keyColumns.indexOf(column)
      val value =
        if (part >= 0) names(part) else functions.col(CHANGE).getField(VALUE).getField(column.name)
      value.as(column.name)
    }
    val deleted = ChangedRelation.deleted(topic.columns.fieldNames.toSeq).name
    records.where(isUsable)
      .select(keys ++ Seq(PARTITION, OFFSET, VALUE, IS_DELETED, TIMESTAMP).map(functions.col): _*)
      .repartition(names: _*) // both groupings need no other exchange
      .groupBy(names :+ functions.col(PARTITION): _*).agg(latest)
      .groupBy(names: _*).agg(functions.max_by(functions.col(CHANGE), order).as(CHANGE))
      .select(columns :+ functions.col(CHANGE).getField(IS_DELETED).as(deleted): _*)
  }

  /** Whether a decoded record changes a row. */
  private def isUsable: Column = functions.col(KEY).isNotNull && !functions.col(HAS_NULL_KEY) &&
    (if (topic.mode == PermissiveMode) functions.lit(true) else !functions.col(IS_MALFORMED))

  private def within(struct: String, column: StructField): Column =
    functions.col(struct).getField(column.name)
}

private object TopicRecords {
  import DecodedRecords.PREFIX

  private val NO_KEY = s"${PREFIX}no_key"
  private val KEY = s"${PREFIX}key"
  private val VALUE = s"${PREFIX}value"
  private val BYTES = s"${PREFIX}bytes"
  private val CHANGE = s"${PREFIX}change"
}
