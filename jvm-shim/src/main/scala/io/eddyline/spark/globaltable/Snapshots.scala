package io.eddyline.spark.globaltable

import java.io.FileNotFoundException
import java.time.Duration
import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, FileContext, FileStatus, FileSystem}
import org.apache.hadoop.fs.{Options, Path}
import org.apache.spark.internal.Logging

/**
 * The snapshots of one global table: immutable folders `v=<number>-<fingerprint>`, each with the
 * rows as Parquet files and a [[VersionFile]].
 *
 * A snapshot is written beside its place and renamed into it, so a reader sees all of it or
 * nothing. Several drivers may publish into one folder: the names of two snapshots differ unless
 * their content is the same, and then the first one stands.
 */
private[globaltable] class Snapshots(val root: Path, conf: Configuration) extends Logging {
  import Snapshots._

  private lazy val files: FileSystem = root.getFileSystem(conf)

  def path(version: Version): Path = path(version.name)

  private def path(name: String): Path = new Path(root, s"$PREFIX$name")

  /** The version of that name, if its snapshot is still there. */
  def find(name: String): Option[Version] =
    try Some(read(path(name)))
    catch { case _: FileNotFoundException => None }

  /** What there is, oldest first. */
  def all: Seq[Version] = folders.map(_.getPath).flatMap { path =>
    try Some(read(path))
    catch { case _: FileNotFoundException => None } // collected just now
  }.sortBy(version => (version.number, version.name))

  def newest: Option[Version] = all.lastOption

  /**
   * Writes and publishes a snapshot.
   *
   * @param write makes the files, and says what they hold; the name and number are given here.
   *              None: nothing new, the snapshot is dropped
   */
  def publish(write: Path => Option[Version]): Option[Version] = {
    files.mkdirs(root)
    val draft = new Path(root, s"$DRAFT${UUID.randomUUID}")
    try write(draft).map { content =>
      val number = all.lastOption.fold(1L)(_.number + 1)
      val version = content.copy(
        name = s"$number-${content.fingerprint}",
        number = number,
        bytes = Some(files.listStatus(draft).filterNot(file => FileListing.isHidden(file.getPath))
          .map(_.getLen).sum))
      val info = files.create(new Path(draft, VersionFile.NAME), false)
      try info.write(VersionFile.write(version)) finally info.close()
      try FileContext.getFileContext(root.toUri, conf)
        .rename(draft, path(version), Options.Rename.NONE)
      catch { case _: FileAlreadyExistsException => } // another driver was first with the same
      version
    }
    finally remove(draft)
  }

  /**
   * Removes old snapshots: all but the newest `keep`, those younger than the retention, and
   * `spare`. Drafts of drivers that died go too.
   */
  def collect(keep: Int, retention: Duration, spare: Option[Version]): Unit = {
    val before = System.currentTimeMillis - retention.toMillis
    def isOld(folder: FileStatus) = folder.getModificationTime < before
    val spared = all.takeRight(keep).map(path).toSet ++ spare.map(path)
    val old = folders.filter(isOld).map(_.getPath).filterNot(folder => spared(plain(folder)))
    val drafts = list.filter(_.getPath.getName.startsWith(DRAFT)).filter(isOld).map(_.getPath)
    (old ++ drafts).foreach(remove)
  }

  /** Removes everything. */
  def drop(): Unit = remove(root)

  private def folders: Seq[FileStatus] = list.filter(_.getPath.getName.startsWith(PREFIX))

  private def list: Seq[FileStatus] =
    try files.listStatus(root).toSeq
    catch { case _: FileNotFoundException => Nil }

  private def plain(path: Path): Path = new Path(root, path.getName)

  private def read(folder: Path): Version = {
    val in = files.open(new Path(folder, VersionFile.NAME))
    try VersionFile.read(in.readAllBytes()) finally in.close()
  }

  private def remove(folder: Path): Unit =
    try files.delete(folder, true)
    catch { case NonFatal(e) => logWarning(s"$folder cannot be removed", e) }
}

private[globaltable] object Snapshots {
  private val PREFIX = "v="
  private val DRAFT = "_draft-"
}
