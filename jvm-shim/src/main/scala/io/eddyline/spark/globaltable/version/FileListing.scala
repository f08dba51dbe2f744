package io.eddyline.spark.globaltable.version

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/** A file as a probe found it; with another length or modification time it is another file. */
private[globaltable] case class SourceFile(path: Path, length: Long, modified: Long)(
    val status: FileStatus) {

  /** The id of the Spark job that wrote it, from its name; the path if the name has none. */
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
 * The content of a folder of a file source.
 *
 * @param files the data files in the folder and below it
 * @param committed time of `_SUCCESS` in ms since the epoch; a job writes it after its last file.
 *                  None: there is none
 * @param writing whether the folder contains temporary files of a job
 */
private[globaltable] case class FolderListing(
    files: Set[SourceFile],
    committed: Option[Long] = None,
    writing: Boolean = false) {
  lazy val paths: Set[Path] = files.map(_.path)
  lazy val jobs: Map[String, Set[SourceFile]] = files.groupBy(_.job)

  private lazy val parents: Set[Path] = paths.map(_.getParent)

  /** Whether a folder that has files here has none in a later listing. */
  def isEmptiedIn(later: FolderListing): Boolean = !parents.subsetOf(later.parents)

  /** Whether a job has committed since these files were written. */
  def covers(written: Set[SourceFile]): Boolean = committed.exists(time =>
    written.forall(file => file.modified < time || file.modified == time && !writing))
}

/**
 * The folders of a file source, each with its files.
 *
 * It is made by `listStatus` alone: `listFiles` starts a process per file on a local file system.
 */
private[globaltable] case class FileListing(folders: Map[Path, FolderListing]) {
  def files: Set[SourceFile] = folders.values.flatMap(_.files).toSet

  /** As in [[FolderListing]], for any of the folders. */
  def isEmptiedIn(later: FileListing): Boolean = folders.exists { case (root, folder) =>
    folder.isEmptiedIn(later.folders.getOrElse(root, FolderListing(Set.empty)))
  }

  /** How many folders have a `_SUCCESS`. */
  def successMarkers: Int = folders.values.count(_.committed.isDefined)

  /** Returns the listing with these files only. */
  def restrictedTo(files: Set[SourceFile]): FileListing = FileListing(folders.map {
    case (root, folder) => root -> folder.copy(files = folder.files & files)
  })
}

private[globaltable] object FileListing {

  /**
   * Lists folders.
   *
   * @param roots the folders, each with what a reader of it leaves out; it may have several readers
   */
  def of(roots: Seq[(Path, HiddenNames)], conf: Configuration): FileListing = FileListing(
    roots.groupMap(_._1)(_._2).map { case (root, readers) =>
      root -> list(root, root.getFileSystem(conf), name => readers.forall(_(name)))
    })

  private def list(root: Path, system: FileSystem, isHidden: String => Boolean): FolderListing = {
    def walk(found: Seq[FileStatus]): Seq[FileStatus] = found.flatMap {
      case hidden if isHidden(hidden.getPath.getName) => Nil
      case folder if folder.isDirectory => walk(children(folder.getPath))
      case file => Seq(file)
    }
    def children(folder: Path): Seq[FileStatus] =
      try system.listStatus(folder).toSeq
      catch { case _: FileNotFoundException => Nil } // removed meanwhile
    val top = system.listStatus(root).toSeq
    FolderListing(
      walk(top).map(SourceFile(_)).toSet,
      top.find(_.getPath.getName == HiddenNames.SUCCESS).map(_.getModificationTime),
      top.exists(file => HiddenNames.isStaging(file.getPath.getName)))
  }
}
