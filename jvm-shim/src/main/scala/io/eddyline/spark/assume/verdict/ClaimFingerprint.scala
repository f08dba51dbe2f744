package io.eddyline.spark.assume.verdict

import scala.jdk.CollectionConverters._

import org.apache.commons.codec.digest.DigestUtils.sha256Hex
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.assume.units.{KeyScan, TryKey, UnitScanExec}

/**
 * Identifies a claim by all that decides which keys a check finds in a file. Checks with equal
 * fingerprints share their results.
 *
 * @param keys the claimed columns and fields with their types, as text, and the layout
 * @param readerDigest the SHA-256 of format, schema, options and settings: some may be secret
 */
private[assume] case class ClaimFingerprint(keys: String, readerDigest: String) {

  /** The SHA-256 of both in hex. */
  lazy val digest: String = sha256Hex(s"$keys\u0000$readerDigest")
}

private[assume] object ClaimFingerprint {

  /** Prefixes of Spark settings that may decide which values a reader finds. */
  private val READER_SETTINGS = Seq(
    "avro", "columnNameOfCorruptRecord", "csv", "files.ignore", "json", "legacy", "orc", "parquet",
    "xml").map(area => s"spark.sql.$area")

  /** Prefixes of Hadoop settings that may decide it too, and differ between drivers. */
  private val HADOOP_READER_SETTINGS = Seq(
    "avro.", "hive.exec.orc.", "io.compression.", "mapreduce.input.", "orc.", "parquet.",
    "textinputformat.")

  /**
   * Returns the fingerprint of a claim about scans, whose order does not matter. None if keys
   * depend on more than the files, such as the session, a filter or the value of a partition.
   */
  def of(scans: Seq[UnitScanExec]): Option[ClaimFingerprint] =
    Option.when(scans.forall(dependsOnFilesOnly)) {
      val texts = scans.map(units => (keys(units), reader(units))).sorted
      ClaimFingerprint(
        texts.map(_._1).mkString(" and "), sha256Hex(texts.map(_._2).mkString(" and ")))
    }

  /** Whether the keys depend on the files only; values of partition columns are not in files. */
  private def dependsOnFilesOnly(units: UnitScanExec): Boolean =
    units.keys.forall(TryKey.isColumnOrField) && units.scan.dataFilters.isEmpty && {
      val partitions = units.scan.relation.partitionSchema.fieldNames
      AttributeSet(units.keys).forall(key => !partitions.exists(units.conf.resolver(_, key.name)))
    }

  private def keys(units: UnitScanExec): String =
    units.keys.map(key => s"${path(key)} ${key.dataType.sql}").mkString(", ") + units.layout.sql

  private def path(key: Expression): String = key match {
    case field: GetStructField => // its ordinal depends on which other fields are read
      s"${path(field.child)}.${quoteIfNeeded(field.childSchema(field.ordinal).name)}"
    case column: Attribute => quoteIfNeeded(column.name)
    case other => other.sql
  }

  private def reader(units: UnitScanExec): String = {
    val (relation, conf) = (units.scan.relation, units.session.sessionState.conf)
    val readSchema =
      if (KeyScan.keysIndependentOfOtherColumns(relation)) "" else units.scan.requiredSchema.json
    s"${relation.fileFormat.getClass.getName} ${relation.options.toSeq.sorted} " +
      s"${relation.dataSchema.json} ${relation.partitionSchema.json} $readSchema " +
      s"${conf.caseSensitiveAnalysis} ${conf.sessionLocalTimeZone} ${settings(units.session)}"
  }

  /** Returns the settings that may decide what a reader finds. */
  private def settings(session: SparkSession): String = {
    // Spark passes the settings of a session without the prefix "spark." to Hadoop.
    val sessionSettings = session.sessionState.conf.getAllConfs.filter { case (key, _) =>
      !key.startsWith("spark.") || READER_SETTINGS.exists(key.startsWith)
    }
    val hadoopSettings = session.sparkContext.hadoopConfiguration.asScala
      .map(entry => entry.getKey -> entry.getValue)
      .filter { case (key, _) => HADOOP_READER_SETTINGS.exists(key.startsWith) }
    s"${sessionSettings.toSeq.sorted} ${hadoopSettings.toSeq.sorted}"
  }
}
