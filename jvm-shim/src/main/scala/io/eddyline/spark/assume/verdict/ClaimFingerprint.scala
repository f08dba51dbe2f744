package io.eddyline.spark.assume.verdict

import scala.jdk.CollectionConverters._

import org.apache.commons.codec.digest.DigestUtils.sha256Hex
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.assume.units.{KeyOrNull, KeyScan, UnitScanExec}

/**
 * Identifies a claim by everything that decides which keys a check finds in a file: checks with
 * equal fingerprints share their results.
 *
 * @param keys the claimed columns and fields with their types, as text, and the layout
 * @param reader a digest of format, schema, options and settings, of which some may be secret
 */
private[assume] case class ClaimFingerprint(keys: String, reader: String) {
  lazy val digest: String = sha256Hex(s"$keys\u0000$reader")
}

private[assume] object ClaimFingerprint {

  /** Areas of Spark settings that may decide which values a reader finds. */
  private val READING = Seq(
    "avro", "columnNameOfCorruptRecord", "csv", "files.ignore", "json", "legacy", "orc", "parquet",
    "xml").map(area => s"spark.sql.$area")

  /** Prefixes of Hadoop settings that do so too, and that may differ between drivers. */
  private val READING_HADOOP = Seq(
    "avro.", "hive.exec.orc.", "io.compression.", "mapreduce.input.", "orc.", "parquet.",
    "textinputformat.")

  /**
   * Returns the fingerprint of a claim about relations, in any order. None if a key is more than a
   * column or a field, since its value may depend on the session, or if the scan filters rows.
   */
  def of(sides: Seq[UnitScanExec]): Option[ClaimFingerprint] =
    Option.when(sides.forall(isOfFiles)) {
      val texts = sides.map(side => (keys(side), reader(side))).sorted
      ClaimFingerprint(
        texts.map(_._1).mkString(" and "), sha256Hex(texts.map(_._2).mkString(" and ")))
    }

  /** Whether the files alone decide; the same file may get another partition value. */
  private def isOfFiles(side: UnitScanExec): Boolean =
    side.keys.forall(KeyOrNull.isStored) && side.scan.dataFilters.isEmpty && {
      val partitions = side.scan.relation.partitionSchema.fieldNames
      AttributeSet(side.keys).forall(key => !partitions.exists(side.conf.resolver(_, key.name)))
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
    val read = if (KeyScan.areAlone(relation)) "" else side.scan.requiredSchema.json
    s"${relation.fileFormat.getClass.getName} ${relation.options.toSeq.sorted} " +
      s"${relation.dataSchema.json} ${relation.partitionSchema.json} $read " +
      s"${conf.caseSensitiveAnalysis} ${conf.sessionLocalTimeZone} ${settings(side.session)}"
  }

  /** Settings that may decide what the reader finds, and all that the session set for Hadoop. */
  private def settings(session: SparkSession): String = {
    val ofSession = session.sessionState.conf.getAllConfs.filter { case (key, _) =>
      !key.startsWith("spark.") || READING.exists(key.startsWith)
    }
    val ofHadoop = session.sparkContext.hadoopConfiguration.asScala
      .map(entry => entry.getKey -> entry.getValue)
      .filter { case (key, _) => READING_HADOOP.exists(key.startsWith) }
    s"${ofSession.toSeq.sorted} ${ofHadoop.toSeq.sorted}"
  }
}
