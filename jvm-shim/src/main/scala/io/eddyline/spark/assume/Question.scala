package io.eddyline.spark.assume

import org.apache.commons.codec.digest.DigestUtils.sha256Hex
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField}
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/**
 * What decides which keys a check finds in a file.
 *
 * @param keys as columns and fields, by name
 * @param every as of [[KeyCheck]]
 * @param reader format, schema, options and settings
 */
private[assume] case class Question(keys: String, every: Int, reader: String) {
  lazy val digest: String = sha256Hex(s"$keys\u0000$every\u0000$reader")
}

private[assume] object Question {
  /** Settings that may decide which values a reader finds. */
  private val READING = Seq(
    "avro", "columnNameOfCorruptRecord", "csv", "files.ignore", "json", "legacy", "orc", "parquet",
    "xml").map(area => s"spark.sql.$area")

  /**
   * About relations, in any order. None if the keys are more than columns and fields: their values
   * may depend on the session.
   */
  def of(sides: Seq[UnitScanExec], every: Int): Option[Question] =
    Option.when(sides.forall(_.keys.forall(isPlain))) {
      val texts = sides.map(side => (keys(side), reader(side))).sorted
      Question(texts.map(_._1).mkString(" and "), every, texts.map(_._2).mkString(" and "))
    }

  private def isPlain(key: Expression): Boolean = !key.exists {
    case _: Attribute | _: GetStructField => false
    case _ => true
  }

  private def keys(side: UnitScanExec): String =
    side.keys.map(key => s"${path(key)} ${key.dataType.sql}").mkString(", ") + side.layout.sql

  private def path(key: Expression): String = key match {
    case field: GetStructField => // its ordinal depends on which other fields are read
      s"${path(field.child)}.${quoteIfNeeded(field.childSchema(field.ordinal).name)}"
    case column: Attribute => quoteIfNeeded(column.name)
    case other => other.sql
  }

  private def reader(side: UnitScanExec): String = {
    val (relation, conf) = (side.scan.relation, side.session.sessionState.conf)
    val settings = conf.getAllConfs.filter(entry => READING.exists(entry._1.startsWith))
    s"${relation.fileFormat.getClass.getName} ${relation.options.toSeq.sorted} " +
      s"${relation.dataSchema.json} ${relation.partitionSchema.json} " +
      s"${conf.caseSensitiveAnalysis} ${conf.sessionLocalTimeZone} ${settings.toSeq.sorted}"
  }
}
