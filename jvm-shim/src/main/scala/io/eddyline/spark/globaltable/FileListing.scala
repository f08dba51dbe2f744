package io.eddyline.spark.globaltable

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/** A file as one look saw it; another length or time of modification makes it another file. */
private[globaltable] case class SourceFile(path: Path, length: Long, modified: Long)(
    val status: FileStatus) {

  /** The Spark job that wrote it, by the identifier in its name; others stand for themselves. */
  def job: String = path.getName match {
    case SourceFile.OF_JOB(id) => id
    case _ => path.toString
  }
}

private[globaltable] object SourceFile {
  private val OF_JOB = s"part-\\d+-(\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12})\\b.*".r

  def apply(status: FileStatus): SourceFile =
    SourceFile(status.getPath, status.getLen, status.getModificationTime)(status)
}

/**
 * What lies in a folder of a file source.
 *
 * @param committed time of `_SUCCESS`, which a job leaves when all its files are in their places
 * @param writing whether a job has its temporary files there
 */
private[globaltable] case class FolderListing(
    files: Set[SourceFile],
    committed: Option[Long] = None,
    writing: Boolean = false) {
  lazy val paths: Set[Path] = files.map(_.path)
  lazy val jobs: Map[String, Set[SourceFile]] = files.groupBy(_.job)

  /** Whether a job has committed since these files were written. */
  def covers(written: Set[SourceFile]): Boolean = committed.exists(time =>
    written.forall(file => file.modified < time || file.modified == time && !writing))
}

/**
 * The folders of a file source, each with its files.
 *
 * Only `listStatus` is used: `listFiles` starts a process a file on a local file system.
 */
private[globaltable] case class FileListing(folders: Map[Path, FolderListing]) {
  def files: Set[SourceFile] = folders.values.flatMap(_.files).toSet

  /** Whether a folder that has files here has none in a later listing. */
  def isEmptiedIn(later: FileListing): Boolean = !parents.subsetOf(later.parents)

  private def parents: Set[Path] = files.map(_.path.getParent)

  /** How many folders have a `_SUCCESS`. */
  def gates: Int = folders.values.count(_.committed.isDefined)

  /** The same, with some of the files alone. */
  def restrictedTo(files: Set[SourceFile]): FileListing = FileListing(folders.map {
    case (root, folder) => root -> folder.copy(files = folder.files & files)
  })
}

private[globaltable] object FileListing {
  private val SUCCESS = "_SUCCESS"

  /** Of Hadoop's committer, of Spark's for partitions that are overwritten, and of Hive. */
  private val STAGING = Seq("_temporary", ".spark-staging-", ".hive-staging")

  /** As Spark's readers have it: partitions may begin with an underscore. */
  def isHidden(path: Path): Boolean = path.getName match {
    case name if name.startsWith("_") => !name.contains("=")
    case name => name.startsWith(".") || name.endsWith("._COPYING_")
  }

  def of(roots: Seq[Path], conf: Configuration): FileListing = FileListing(
    roots.distinct.map(root => root -> list(root, root.getFileSystem(conf))).toMap)

  private def list(root: Path, system: FileSystem): FolderListing = {
    def walk(found: Seq[FileStatus]): Seq[FileStatus] = found.flatMap {
      case hidden if isHidden(hidden.getPath) => Nil
      case folder if folder.isDirectory => walk(children(folder.getPath))
      case file => Seq(file)
    }
    def children(folder: Path): Seq[FileStatus] =
      try system.listStatus(folder).toSeq
      catch { case _: FileNotFoundException => Nil } // removed meanwhile
    val top = system.listStatus(root).toSeq
    FolderListing(
      walk(top).map(SourceFile(_)).toSet,
      top.find(_.getPath.getName == SUCCESS).map(_.getModificationTime),
      top.exists(file => STAGING.exists(file.getPath.getName.startsWith)))
  }
}
