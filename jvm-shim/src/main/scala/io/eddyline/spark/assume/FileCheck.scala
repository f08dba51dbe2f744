package io.eddyline.spark.assume

import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution._
import org.apache.spark.sql.types.{StringType, StructType}

import io.eddyline.spark.EddylineConf

/**
 * Finds whether equal keys lie in one file: by what is known of the files, else by a scan of the
 * keys alone, in those files whose keys are not known.
 *
 * @param keys over the columns of the scan
 * @param every as of [[KeyCheck]]
 */
private[assume] class FileCheck(
    keys: Seq[Expression], every: Int, units: UnitScanExec, session: SparkSession) {
  import FileCheck._

  private val state = session.sessionState
  private val relation = units.scan.relation
  private val files = units.files
  private val limit = state.conf.getConf(EddylineConf.ASSUME_MAX_KEYS)
  private val hadoopConf = state.newHadoopConfWithOptions(relation.options)
  private val verdicts = new Verdicts(
    state.conf.getConf(EddylineConf.ASSUME_VERDICTS).map { folder =>
      new VerdictFolder(new Path(folder), state.newHadoopConf())
    },
    limit)

  def run(): Result = {
    val asked = question.filter(_ => unchanged) // a listing may be older than the files
    asked.flatMap(verdicts.get(_, files.toSet)).map(Result(_, 0, 0)).getOrElse {
      val known = asked.fold(Map.empty[FileVersion, Array[Long]])(verdicts.hashes(_, files.toSet))
      val unitOf = files.zipWithIndex.toMap
      val check = new KeyCheck(every, limit)
        .run(rows(Seq(hash)), known.map { case (file, hashes) => unitOf(file) -> hashes })
      val verdict = check.conflict match {
        case Some(found) => Verdict.Violated(
          text(found.hash, found.unit1), files(found.unit1), files(found.unit2))
        case None if check.tooMany => Verdict.TooManyKeys(limit)
        case None => Verdict.Holds
      }
      val read = check.read.map { case (unit, hashes) => files(unit) -> hashes }
      if (!verdict.isInstanceOf[Verdict.TooManyKeys] && unchanged) {
        asked.foreach(verdicts.put(_, Finding(files.toSet, verdict, known ++ read)))
      }
      Result(verdict, read.size, read.valuesIterator.map(_.length.toLong).sum)
    }
  }

  /** Keeps a verdict that was found by other means, unless a file has changed. */
  def keep(verdict: Verdict): Unit = question.filter(_ => unchanged)
    .foreach(verdicts.put(_, Finding(files.toSet, verdict, Map.empty)))

  private def unchanged: Boolean = FileVersion.unchanged(files, hadoopConf)

  private def hash: NamedExpression = Alias(new CollationAwareXxHash64(keys), "hash")()

  /** Something of each row, a partition a file. */
  private def rows(fields: Seq[NamedExpression]): RDD[InternalRow] = {
    val scan = units.copy(child = keyScan(units.scan))
    val plan = if (scan.supportsColumnar) ColumnarToRowExec(scan) else scan
    CollapseCodegenStages()(ProjectExec(fields, plan)).execute()
  }

  /** The scan of the key columns in all files of the listing, without filters on other columns. */
  private def keyScan(scan: FileSourceScanExec): FileSourceScanExec = {
    val needed = AttributeSet(keys)
    val output = scan.output.filter(needed.contains)
    val names = output.map(_.name).toSet
    scan.copy(
      output = output,
      requiredSchema = StructType(scan.requiredSchema.filter(field => names(field.name))),
      partitionFilters =
        scan.partitionFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]])),
      dataFilters = Nil)
  }

  /** The key of a hash, as a user writes it. */
  private def text(hashed: Long, unit: Int): String = {
    val texts = keys.map(key => Alias(Cast(key, StringType, Some("UTC")), "text")())
    val found = rows(hash +: texts)
    val width = keys.size
    found.sparkContext.runJob(
      found,
      (partition: Iterator[InternalRow]) => partition.find(_.getLong(0) == hashed).map { row =>
        (1 to width).map { i =>
          if (row.isNullAt(i)) "NULL" else row.getUTF8String(i).toString
        }.mkString("(", ", ", ")")
      },
      Seq(unit)).head.getOrElse("?")
  }

  /** None if the keys are more than columns and fields: their values may depend on the session. */
  private def question: Option[Question] = {
    val plain = !keys.exists(_.exists {
      case _: Attribute | _: GetStructField => false
      case _ => true
    })
    val types = keys.map(key => s"${ClaimText.key(key)} ${key.dataType.sql}").mkString(", ")
    val settings = state.conf.getAllConfs.filter(entry => READING.exists(entry._1.startsWith))
    val reader = s"${relation.fileFormat.getClass.getName} ${relation.options.toSeq.sorted} " +
      s"${relation.dataSchema.sql} ${relation.partitionSchema.sql} " +
      s"${state.conf.caseSensitiveAnalysis} ${state.conf.sessionLocalTimeZone} " +
      settings.toSeq.sorted
    if (plain) Some(Question(types, every, reader)) else None
  }
}

private[assume] object FileCheck {
  /** Settings that may decide which values a reader finds. */
  private val READING = Seq("avro", "csv", "files.ignore", "json", "legacy", "orc", "parquet")
    .map(area => s"spark.sql.$area")

  /**
   * @param files how many were read
   * @param keys how many of them were checked
   */
  case class Result(verdict: Verdict, files: Int, keys: Long)
}
