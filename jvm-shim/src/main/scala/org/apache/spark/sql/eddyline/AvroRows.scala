package org.apache.spark.sql.eddyline

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.avro.{AvroRuntimeException, Schema}
import org.apache.avro.generic.GenericDatumReader
import org.apache.avro.io.{BinaryDecoder, DecoderFactory}
import org.apache.spark.sql.avro.{AvroDeserializer, AvroOptions}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.LegacyBehaviorPolicy
import org.apache.spark.sql.types.StructType

/**
 * Reads Avro data without a header as rows, by Spark's own deserializer, which is private.
 *
 * @param schema the schema of the writer: a record that has the columns as fields, or the type of
 *               the only column
 */
class AvroRows private (schema: Schema, columns: StructType) {
  private val isRecord = AvroRows.isRecord(schema)
  private val reader = new GenericDatumReader[Any](schema)
  private val deserializer = AvroRows.deserializer(schema, columns)
  private var decoder: BinaryDecoder = _
  private var datum: Any = _

  /**
   * Returns the row of the bytes of a datum.
   *
   * Errors: those of the decoder for other bytes; an IllegalArgumentException if more bytes follow.
   */
  def row(bytes: Array[Byte]): InternalRow = {
    decoder = DecoderFactory.get().binaryDecoder(bytes, decoder)
    datum = reader.read(datum, decoder)
    require(decoder.isEnd, "bytes follow the datum")
    val value = deserializer.deserialize(datum).orNull
    if (isRecord) value.asInstanceOf[InternalRow] else InternalRow(value)
  }
}

object AvroRows {

  /**
   * Returns a reader of rows; or why there can be none, as a clause without a full stop: the schema
   * is no Avro schema, or does not have the columns.
   *
   * @param schema an Avro schema, as JSON
   */
  def of(schema: String, columns: StructType): Either[String, AvroRows] =
    try {
      val parsed = new Schema.Parser().parse(schema)
      val wrong = if (isRecord(parsed)) {
        val fields = parsed.getFields.asScala.map(_.name)
        columns.map(_.name).find(name => !fields.exists(_.equalsIgnoreCase(name)))
          .map(name => s"it has no field `$name`, but ${fields.mkString(", ")}")
      } else {
        Some(columns.length).filter(_ != 1).map(n => s"it is no record, and there are $n columns")
      }
      wrong.toLeft(new AvroRows(parsed, columns))
    } catch {
      case wrong: AvroRuntimeException => Left(s"it is no Avro schema: ${wrong.getMessage}")
      case NonFatal(wrong) => Left(Option(wrong.getCause).getOrElse(wrong).getMessage)
    }

  private def isRecord(schema: Schema): Boolean = schema.getType == Schema.Type.RECORD

  private def deserializer(schema: Schema, columns: StructType): AvroDeserializer = {
    val options = AvroOptions(Map.empty[String, String])
    new AvroDeserializer(
      schema,
      if (isRecord(schema)) columns else columns.head.dataType,
      LegacyBehaviorPolicy.CORRECTED.toString,
      options.useStableIdForUnionType,
      options.stableIdPrefixForUnionType,
      options.recursiveFieldMaxDepth)
  }
}
