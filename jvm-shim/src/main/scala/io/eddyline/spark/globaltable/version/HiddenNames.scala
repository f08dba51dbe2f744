package io.eddyline.spark.globaltable.version

import java.util.regex.Pattern

import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic.SparkSession

/**
 * The names of files and folders below a source that are no data: those that Spark's readers leave
 * out, and what a job writes until it has committed.
 *
 * @param regex finds itself in the names that are left out; if it is empty, in none
 */
private[globaltable] case class HiddenNames(regex: String) {
  import HiddenNames._

  private val pattern = Pattern.compile(if (regex.isEmpty) NEVER else regex)

  def apply(name: String): Boolean =
    name.endsWith(COPYING) || !isPartition(name) &&
      (name == SUCCESS || isStaging(name) || SUMMARIES.exists(name.startsWith(_)) ||
        pattern.matcher(name).find())
}

private[globaltable] object HiddenNames {

  /** The option for the names that a listing leaves out, since Spark 4.3. */
  private val OPTION = "ignoredPathSegmentRegex"

  /** The setting that is taken where the option is missing. */
  private val SETTING = s"spark.sql.files.$OPTION"
  private val NEVER = "(?!)"

  /** The names that Spark leaves out by default. */
  val default: HiddenNames = HiddenNames("^[._]")

  /** The options by which Spark reads files of eddyline, whatever the settings of the session. */
  val ownOptions: Map[String, String] = Map(OPTION -> default.regex)

  /** What a job writes after its last file. */
  val SUCCESS = "_SUCCESS"

  /** What a job writes first: Hadoop's committer, Spark's dynamic overwrite, Hive. */
  private val STAGING = Seq("_temporary", ".spark-staging-", ".hive-staging")
  private val COPYING = "._COPYING_"

  /** The files of Parquet that have no rows. */
  private val SUMMARIES = Seq("_metadata", "_common_metadata")

  /** Returns what a reader of files with these options leaves out. */
  def of(options: Map[String, String], session: SparkSession): HiddenNames =
    if (session.conf.isModifiable(SETTING)) {
      HiddenNames(CaseInsensitiveMap(options).getOrElse(OPTION, session.conf.get(SETTING)))
    } else default

  /** Whether the folder has temporary files of a job. */
  def isStaging(name: String): Boolean = STAGING.exists(name.startsWith(_))

  /** Whether the folder is one of a partition, whose column may begin with an underscore. */
  private def isPartition(name: String): Boolean = name.startsWith("_") && name.contains("=")
}
