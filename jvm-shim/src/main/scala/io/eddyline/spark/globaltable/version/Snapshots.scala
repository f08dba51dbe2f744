package io.eddyline.spark.globaltable.version

import java.io.FileNotFoundException
import java.time.Duration
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, FileContext, FileStatus, FileSystem}
import org.apache.hadoop.fs.{Options, Path}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.internal.Logging

/**
 * The snapshots of one global table: immutable folders `v=<number>-<fingerprint>`, each with the
 * rows as Parquet files and a [[VersionFile]].
 *
 * A snapshot is written to a draft folder and renamed, so a reader sees all of it or nothing.
 * Several drivers may publish into one folder: the names of two snapshots differ unless their
 * content is the same, and then the first one is kept.
 *
 * @param permissions the permissions of the folders; files get them without the right to execute
 */
private[globaltable] class Snapshots(val root: Path, permissions: FsPermission, conf: Configuration)
  extends Logging {
  import Snapshots._

  private lazy val files: FileSystem = root.getFileSystem(conf)

  /** The versions that were read, by folder: a published one never changes. */
  private val seen = new ConcurrentHashMap[String, Version]

  def path(version: Version): Path = new Path(root, folder(version))

  private def folder(version: Version): String = s"$PREFIX${version.name}"

  /** Returns the version called `name`; None if its snapshot was removed. */
  def find(name: String): Option[Version] = read(new Path(root, s"$PREFIX$name"))

  /**
   * Returns the version called `name`, which another one changes; None if its snapshot was removed.
   * It must have all rows itself, since what reads a base reads no other version below it.
   */
  def findBase(name: String): Option[Version] = find(name).map { base =>
    base.base.foreach { other =>
      throw new IllegalStateException(s"the base $name in $root has only the changes of $other")
    }
    base
  }

  /** Returns the version of which another one has changes; the other one if it has all rows. */
  def baseOf(version: Version): Version = version.base.fold(version) { name =>
    findBase(name).getOrElse(throw new FileNotFoundException(
        s"The snapshot $name in $root, which ${version.name} changes, was removed"))
  }

  /** Whether the snapshot of a version was not removed, nor that of its base. */
  def isThere(version: Version): Boolean =
    (version.name +: version.base.toSeq).forall(find(_).isDefined)

  /**
   * Returns what `list` returns for the folder of a version, whose files it lists; None if the
   * snapshot was removed meanwhile, so that some may be missing.
   */
  def listed[T](version: Version)(list: Path => T): Option[T] = {
    val found = list(path(version))
    Option.when(isThere(version))(found)
  }

  /** The published versions, oldest first. */
  def all: Seq[Version] = all(list)

  private def all(there: Seq[FileStatus]): Seq[Version] = {
    val folders = there.map(_.getPath.getName).filter(_.startsWith(PREFIX))
    seen.keySet.retainAll(folders.asJava)
    folders.filterNot(seen.containsKey).foreach { name =>
      read(new Path(root, name)).foreach(seen.put(name, _))
    }
    seen.values.asScala.toSeq.sortBy(version => (version.number, version.name))
  }

  def newest: Option[Version] = all.lastOption

  /** Returns the newest version, or another with its number, that has this source fingerprint. */
  def newest(fingerprint: String): Option[Version] = newest(all)(_.fingerprint == fingerprint)

  private def newest(there: Seq[Version])(isWanted: Version => Boolean): Option[Version] =
    there.find(version => version.number == there.last.number && isWanted(version))

  /**
   * Writes and publishes a snapshot.
   *
   * @param write writes the files into a folder and describes them, without a name and number;
   *              None: the rows are not new, nothing is published
   * @return the published version, or an equal one that another driver published first
   */
  def publish(write: Path => Option[Version]): Option[Version] = {
    files.mkdirs(root)
    files.setPermission(root, permissions)
    val draft = new Path(root, s"$DRAFT${UUID.randomUUID}")
    try write(draft).map { content =>
        // from one list, so that two drivers that publish equal content agree on one name
        val there = list
        val numbers = there.map(_.getPath.getName).collect { case NAME(number) => number.toLong }
        val number = numbers.maxOption.getOrElse(0L) + 1 // also of those that cannot be read
        newest(all(there))(_.hasRowsOf(content)).getOrElse(place(draft, content, number))
      }
    finally remove(draft)
  }

  /** Renames a draft to its final name; if another driver's snapshot has it, that one is kept. */
  private def place(draft: Path, content: Version, number: Long): Version = {
    val version = content.copy(
      name = s"$number-${content.fingerprint}",
      number = number,
      bytes = Some(content.base.flatMap(find).flatMap(_.bytes).getOrElse(0L) +
        files.listStatus(draft).filterNot(file => HiddenNames.default(file.getPath.getName))
          .map(_.getLen).sum))
    Using.resource(files.create(new Path(draft, VersionFile.NAME), false))(
      _.write(VersionFile.write(version)))
    restrict(draft)
    try FileContext.getFileContext(root.toUri, conf)
        .rename(draft, path(version), Options.Rename.NONE)
    catch { case _: FileAlreadyExistsException => }
    find(version.name).getOrElse(version)
  }

  /**
   * Removes the snapshots that were superseded longer than `retention` ago, except the newest
   * `keep`, `spare`, and the bases of those that stay. Removes old drafts and half removed
   * snapshots too, which drivers that died have left.
   */
  def collect(keep: Int, retention: Duration, spare: Option[Version]): Unit =
    try {
      val now = System.currentTimeMillis
      val listed = list
      val there = listed.map(folder => folder.getPath.getName -> folder.getModificationTime).toMap
      val versions = all(listed)
      val superseded = versions.zip(versions.drop(1)).dropRight(keep - 1).collect {
        case (version, next) if there.get(folder(next)).exists(_ < now - retention.toMillis) =>
          version
      }.filterNot(version => spare.exists(_.name == version.name))
      val bases = versions.diff(superseded).flatMap(_.base).toSet
      val old = superseded.filterNot(version => bases(version.name))
      old.foreach(version => removeVersion(path(version)))
      val known = versions.map(folder).toSet
      val abandoned = there.collect {
        case (name, time)
            if !known(name) && OURS.exists(name.startsWith(_)) && time < now - DRAFT_MS => name
      }
      abandoned.foreach(name => remove(new Path(root, name)))
    } catch { case NonFatal(e) => logWarning(s"$root cannot be cleaned", e) }

  private def restrict(draft: Path): Unit = {
    files.listStatus(draft).foreach { file =>
      files.setPermission(file.getPath, permissions.applyUMask(NOT_EXECUTABLE))
    }
    files.setPermission(draft, permissions)
  }

  /** Removes the folder with all snapshots. */
  def drop(): Unit = {
    list.map(_.getPath).filter(_.getName.startsWith(PREFIX)).foreach(removeVersion)
    remove(root)
  }

  private def list: Seq[FileStatus] =
    try files.listStatus(root).toSeq
    catch { case _: FileNotFoundException => Nil }

  /** Reads the version in a folder; None if the folder was removed, even just now. */
  private def read(folder: Path): Option[Version] =
    try Using.resource(files.open(new Path(folder, VersionFile.NAME)))(in =>
        VersionFile.read(in.readAllBytes()))
    catch { case _: FileNotFoundException => None }

  /** Removes a snapshot, its description first: without that it is none, if the driver dies. */
  private def removeVersion(folder: Path): Unit = remove(new Path(folder, VersionFile.NAME), folder)

  /** Removes files and folders one after the other. */
  private def remove(paths: Path*): Unit =
    try paths.foreach(files.delete(_, true))
    catch { case NonFatal(e) => logWarning(s"${paths.last} cannot be removed", e) }
}

private[globaltable] object Snapshots {
  private val PREFIX = "v="
  private val NAME = s"$PREFIX(\\d+)-.*".r
  private val DRAFT = "draft-"
  private val OURS = Seq(PREFIX, DRAFT)
  private val NOT_EXECUTABLE = new FsPermission("111")

  /** Age in ms at which a draft is taken for abandoned: longer than any driver writes. */
  private val DRAFT_MS = Duration.ofDays(1).toMillis
}
