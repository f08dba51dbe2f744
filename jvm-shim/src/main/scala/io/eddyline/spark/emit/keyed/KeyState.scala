package io.eddyline.spark.emit.keyed

import java.time.Duration
import java.util.concurrent.TimeUnit.MILLISECONDS

import org.apache.spark.sql.catalyst.eddyline.NullableColumn
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.streaming.operators.stateful._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.eddyline.spark.base.{EddylineConf, Intervals}
import io.eddyline.spark.emit.aggregate.EmitMetrics
import io.eddyline.spark.emit.clause._

/**
 * How EMIT ON CHANGE KEY decides which rows of a key it emits, and the columns of its state.
 *
 * The state of a key has the columns of the row last emitted, or a hash of them. For the options
 * that need it, it also has the highest value of ORDER BY and the latest event time of all rows,
 * the time of the last emission, and whether the key is deleted.
 *
 * @param output the columns of the rows, without that of WITH CHANGE TYPE
 * @param compared the columns besides the keys that decide whether a row changed
 * @param hashed whether the state has a hash of these columns instead of the columns
 * @param tolerances the compared columns in which small changes are ignored
 * @param ordering the expression of ORDER BY
 * @param time the event time of a row, if EXPIRE AFTER is given
 * @param deletes the condition of APPLY AS DELETE WHEN
 */
case class KeyState(
    output: Seq[Attribute],
    keys: Seq[Attribute],
    compared: Seq[Attribute],
    hashed: Boolean,
    tolerances: Seq[ColumnTolerance],
    ordering: Option[Expression],
    time: Option[Expression],
    expiry: Option[Duration],
    deletes: Option[Expression],
    heartbeat: Option[Heartbeat],
    changeType: Option[ChangeType]) {
  import KeyState._

  /** Whether the row last emitted is emitted again, by HEARTBEAT or as a delete. */
  val keepsRow: Boolean = heartbeat.nonEmpty || changeType.nonEmpty

  /** The columns of the row last emitted that the state has; all if the row is emitted again. */
  val content: Seq[Attribute] =
    if (hashed) RowHash.attributes
    else if (keepsRow) output.filterNot(AttributeSet(keys).contains)
    else compared

  /** The columns with the highest value of ORDER BY and the latest event time. */
  val seen: Seq[Attribute] =
    ordering.map(by => column(EmitOption.OrderBy, by.dataType)).toSeq ++
      time.map(at => column(EmitOption.ExpireAfter, at.dataType))

  /** Whether a deleted key keeps its state: an older row by ORDER BY must not restore it. */
  val keepsDeleted: Boolean = deletes.nonEmpty && ordering.nonEmpty

  /** The columns that the options need besides the row. */
  val extras: Seq[Attribute] =
    seen ++ heartbeat.map(_ => column(EmitOption.Heartbeat, TimestampType)) ++
      Option.when(keepsDeleted)(column(EmitOption.ApplyAsDelete, BooleanType, nullable = false))

  /** The columns of a value of the state. */
  def values: Seq[Attribute] = content ++ extras

  /** The metrics of the options that the query has. */
  def metrics: Seq[StatefulOperatorCustomMetric] = Seq(
    (tolerances.nonEmpty, EmitMetrics.TOLERATED, "number of tolerated updates"),
    (heartbeat.nonEmpty, EmitMetrics.HEARTBEATS, "number of heartbeats"),
    (ordering.nonEmpty, EmitMetrics.OUT_OF_ORDER, "number of out-of-order rows"),
    (expiry.nonEmpty, EmitMetrics.EXPIRED, "number of expired keys")).collect {
    case (true, name, text) => StatefulOperatorCustomSumMetric(name, text)
  } ++ EmitMetrics.ofChanges(changeType)

  /** The columns of keys and values; Spark writes their names and metadata to the checkpoint. */
  def columns: Seq[Attribute] = {
    val tolerated = AttributeSet(tolerances.map(_.column))
    keys ++ values.map(column =>
      if (tolerated.contains(column)) marked(column, EmitOption.Tolerance) else column)
  }

  def options: Set[EmitOption] = KeyState.options(DataTypeUtils.fromAttributes(columns))

  /** The length of HEARTBEAT in microseconds. */
  def heartbeatMicros: Option[Long] = heartbeat.map(beat => micros(beat.interval))

  /** Returns the event time in microseconds up to which keys are expired by a watermark in ms. */
  def expiryHorizon(watermarkMs: Option[Long]): Option[Long] = for {
    age <- expiry
    watermark <- watermarkMs
  } yield MILLISECONDS.toMicros(watermark) - micros(age)

  /** The options in words, for plans. */
  def describe: String =
    (if (hashed) ", hashed" else "") +
      ordering.fold("")(by => s", order by ${by.sql}") +
      expiry.fold("")(age => s", expire after ${Intervals.sql(age)}") +
      deletes.fold("")(condition => s", delete when ${condition.sql}") +
      (if (tolerances.isEmpty) "" else tolerances.map(_.sql).mkString(", tolerance=[", ", ", "]")) +
      heartbeat.fold("")(beat => s", heartbeat ${Intervals.sql(beat.interval)}")
}

private[emit] object KeyState {

  /**
   * The key in the metadata of a column of the state for the option that needs the column: the
   * columns of a query may have any name.
   */
  private val OPTION = "eddyline.option"

  def of(emit: Emit, conf: SQLConf): KeyState = {
    val keys = emit.keyAttributes.distinct.map(NullableColumn(_))
    val values = emit.comparedAttributes.filterNot(AttributeSet(keys).contains)
    val tolerances = emit.tolerances.collect { case tolerance: ColumnTolerance => tolerance }
    val others = emit.resultAttributes.filterNot(AttributeSet(keys).contains)
    val hashed =
      if (tolerances.nonEmpty || emit.heartbeat.nonEmpty) false
      else if (emit.changeType.nonEmpty) others.isEmpty // a store needs a column
      else isHashed(values, conf)
    KeyState(
      emit.resultAttributes, keys, values, hashed, tolerances,
      emit.ordering.map(_.child),
      emit.expiry.flatMap(_ => ResultColumns.eventTime(emit.output)), emit.expiry,
      emit.deletes, emit.heartbeat, emit.changeType)
  }

  /** The options with which a state was written, by the schema of its values. */
  def options(schema: StructType): Set[EmitOption] = schema.flatMap(option).toSet

  /** The columns of the row last emitted, or of its hash, by the schema of a state's values. */
  def content(schema: StructType): Seq[StructField] =
    schema.filter(option(_).forall(_ == EmitOption.Tolerance))

  private def option(column: StructField): Option[EmitOption] =
    EmitOption.ALL.find(option =>
      column.metadata.contains(OPTION) && column.metadata.getString(OPTION) == option.sql)

  /** A column of the state that an option needs besides the row. */
  private def column(option: EmitOption, dataType: DataType, nullable: Boolean = true): Attribute =
    marked(AttributeReference(option.sql, dataType, nullable)(), option)

  private def isHashed(values: Seq[Attribute], conf: SQLConf): Boolean =
    conf.getConf(EddylineConf.EMIT_KEY_STATE) match {
      case "ROW" => values.isEmpty
      case "HASH" => true
      case _ => values.isEmpty || values.map(_.dataType.defaultSize).sum > RowHash.WORTHWHILE_BYTES
    }

  private def marked(column: Attribute, option: EmitOption): Attribute = column.withMetadata(
    new MetadataBuilder().withMetadata(column.metadata).putString(OPTION, option.sql).build())

  private def micros(interval: Duration): Long = MILLISECONDS.toMicros(interval.toMillis)
}
