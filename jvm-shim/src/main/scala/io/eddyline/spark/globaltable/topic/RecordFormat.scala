package io.eddyline.spark.globaltable.topic

import org.apache.spark.sql.{functions, Column}
import org.apache.spark.sql.catalyst.util.{FailFastMode, ParseMode, PermissiveMode}
import org.apache.spark.sql.eddyline.{AvroRows, SessionInternals}
import org.apache.spark.sql.types._

/** How the bytes of a key or value of a record become columns. */
private[globaltable] sealed abstract class RecordFormat(val name: String) {

  /** Whether the bytes hold exactly one column. */
  def hasOneColumn: Boolean = false

  /** Returns why it cannot give these columns; None if it can. */
  def whyNot(columns: StructType): Option[String] = None

  /** Returns a struct of the columns from bytes. */
  protected def parse(bytes: Column, columns: StructType, mode: ParseMode): Column

  /** Returns a struct of the columns; NULL if the bytes are NULL or malformed. */
  def strict(bytes: Column, columns: StructType): Column =
    SessionInternals.mapExpression(parse(bytes, columns, FailFastMode))(NullIfMalformed(_))

  /** Returns a struct of what can be read of malformed bytes, as Spark's mode PERMISSIVE does. */
  def permissive(bytes: Column, columns: StructType): Column =
    parse(bytes, columns, PermissiveMode)
}

private[globaltable] object RecordFormat {

  /** The text of one column, as CAST reads it; for a BINARY column the bytes. */
  case object Text extends RecordFormat("string") {
    override def hasOneColumn: Boolean = true

    override protected def parse(bytes: Column, columns: StructType, mode: ParseMode): Column = {
      val column = columns.head
      val value = column.dataType match {
        case BinaryType => bytes
        case StringType => textOf(bytes)
        case other => textOf(bytes).try_cast(other)
      }
      functions.when(value.isNotNull || mode == PermissiveMode,
        functions.struct(value.as(column.name)))
    }
  }

  /** A JSON object with a field for each column. */
  case object Json extends RecordFormat("json") {
    override protected def parse(bytes: Column, columns: StructType, mode: ParseMode): Column =
      functions.from_json(textOf(bytes), columns, Map("mode" -> mode.name))
  }

  /**
   * An Avro datum without a header: a record with a field for each column, or, of another type,
   * the value of the only column. In mode PERMISSIVE, malformed bytes make all columns NULL.
   *
   * @param schema the Avro schema of the writer, as JSON
   */
  case class Avro(schema: String) extends RecordFormat(Avro.NAME) {
    override def whyNot(columns: StructType): Option[String] =
      AvroRows.of(schema, columns).left.toOption

    override protected def parse(bytes: Column, columns: StructType, mode: ParseMode): Column = {
      val read = SessionInternals.mapExpression(bytes)(ReadAvro(_, schema, columns))
      if (mode == PermissiveMode) functions.coalesce(read, nulls(columns)) else read
    }

    private def nulls(columns: StructType): Column =
      functions.struct(columns.map { column =>
        functions.lit(null).cast(column.dataType).as(column.name)
      }: _*)
  }

  object Avro {
    val NAME = "avro"
  }

  /** The text of UTF-8 bytes; NULL of others. */
  private def textOf(bytes: Column): Column =
    functions.try_validate_utf8(bytes.cast(StringType))
}
