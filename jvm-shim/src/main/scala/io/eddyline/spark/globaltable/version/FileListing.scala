package io.eddyline.spark.globaltable.version

import java.io.FileNotFoundException
import java.util.regex.Pattern

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.classic.SparkSession

/** A file as it was listed; with another length or modification time it is another file. */
private[globaltable] case class SourceFile(path: Path, length: Long, modified: Long)(
    val status: FileStatus) {

  /** Whether a Spark job wrote it, whose id is in the name. */
  def isOfSpark: Boolean = SourceFile.OF_SPARK.matches(path.getName)
}

private[globaltable] object SourceFile {
  private val OF_SPARK = s"part-\\d+-\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12}\\b.*".r

  def apply(status: FileStatus): SourceFile =
    SourceFile(status.getPath, status.getLen, status.getModificationTime)(status)
}

/**
 * The content of a folder of a file source.
 *
 * @param files the data files in the folder and below it
 * @param successTime time of `_SUCCESS` in ms since the epoch; a job writes it after its last file.
 *                  None: there is none
 * @param isWritten whether a job has temporary files in the folder or below it
 */
private[globaltable] case class FolderListing(
    files: Set[SourceFile], successTime: Option[Long] = None, isWritten: Boolean = false) {

  /** The folders that have files themselves. */
  lazy val parents: Set[Path] = files.map(_.path.getParent)
}

/**
 * The folders of a file source, each with its files.
 *
 * It is made by `listStatus` alone: `listFiles` starts a process per file on a local file system.
 */
private[globaltable] case class FileListing(folders: Map[Path, FolderListing] = Map.empty) {
  lazy val files: Set[SourceFile] = folders.values.flatMap(_.files).toSet

  /** Whether a job has temporary files in one of the folders. */
  def isWritten: Boolean = folders.values.exists(_.isWritten)

  /** How many folders have a `_SUCCESS`. */
  def successMarkers: Int = folders.values.count(_.successTime.isDefined)

  /** How many folders have files themselves. */
  def parents: Int = folders.values.map(_.parents.size).sum

  def folder(root: Path): FolderListing = folders.getOrElse(root, FolderListing(Set.empty))
}

private[globaltable] object FileListing {

  /**
   * Lists folders. Errors: FileNotFoundException, if there is no such folder.
   *
   * @param roots the folders, each with what a reader of it leaves out; it may have several readers
   */
  def of(roots: Seq[(Path, HiddenNames)], conf: Configuration): FileListing = FileListing(
    roots.groupMap(_._1)(_._2).map { case (root, readers) =>
      root -> list(root, root.getFileSystem(conf), name => readers.forall(_(name)))
    })

  private def list(root: Path, system: FileSystem, isHidden: String => Boolean): FolderListing = {
    def walk(found: Seq[FileStatus]): Seq[FileStatus] = found.flatMap {
      case staging if isStaging(staging) => Seq(staging)
      case hidden if isHidden(hidden.getPath.getName) => Nil
      case folder if folder.isDirectory => walk(children(folder.getPath))
      case file => Seq(file)
    }
    def children(folder: Path): Seq[FileStatus] =
      try system.listStatus(folder).toSeq
      catch { case _: FileNotFoundException => Nil } // removed meanwhile
    def isStaging(file: FileStatus): Boolean =
      HiddenNames.isStaging(file.getPath.getName) && isHidden(file.getPath.getName)
    val top = system.listStatus(root).toSeq
    val (staging, files) = walk(top).partition(isStaging)
    FolderListing(
      files.map(SourceFile(_)).toSet,
      top.find(_.getPath.getName == HiddenNames.SUCCESS).map(_.getModificationTime),
      isWritten = staging.nonEmpty)
  }
}

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
