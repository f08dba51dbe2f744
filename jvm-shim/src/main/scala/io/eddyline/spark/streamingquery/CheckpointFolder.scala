package io.eddyline.spark.streamingquery

import java.io.IOException
import java.net.URI
import java.nio.file.{Path => LocalPath, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants._

import io.eddyline.spark.base.{CheckpointFile, EddylineErrors}
import io.eddyline.spark.realtime.UncommittedOutput
import io.eddyline.spark.streamingquery.store.{ObjectStores, PlainFileSystem}

/**
 * The folder of a checkpoint, as a whole. What neither Spark nor eddyline writes into a checkpoint
 * is not touched.
 *
 * @param path its qualified path
 */
private[streamingquery] class CheckpointFolder(path: String, conf: Configuration) {
  import CheckpointFolder._

  private val folder = new Path(path)
  private val aside = folder.suffix(ASIDE)
  private val files = PlainFileSystem.of(folder, conf)

  /** Whether `aside` is what this object has renamed, and no other application before it. */
  private var isAside = false

  /** Why the folder cannot be deleted as a checkpoint; None if it can, or does not exist. */
  def notDeletable: Option[String] = {
    val foreign = names(folder).filterNot(isOwn)
    Option.when(foreign.nonEmpty && !isCheckpoint(folder))(
      s"it has no file $DIR_NAME_METADATA, but ${foreign.mkString(", ")}")
  }

  /** Why the folder cannot be set aside; None if it can, or does not exist. */
  def notMovable: Option[String] = {
    val foreign = names(folder).filterNot(isOwn)
    Option.when(foreign.nonEmpty)(s"it has files of others: ${foreign.mkString(", ")}")
  }

  /**
   * Checks that a query can continue from it, as far as its files show.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED.
   *
   * @param shown removes secrets from a text
   */
  def requireUndamaged(shown: String => String, place: Origin): Unit = damage.foreach { reason =>
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED", place,
      "checkpoint" -> shown(path), "reason" -> reason)
  }

  private def damage: Option[String] = {
    val logs = Seq(DIR_NAME_OFFSETS, DIR_NAME_COMMITS).map(new Path(folder, _))
    val written = entries(folder).filter(_.getPath.getName == DIR_NAME_METADATA) ++
      logs.flatMap(entries).filter(_.getPath.getName.forall(_.isDigit))
    written.find(_.getLen == 0).map { empty =>
      val name = folder.toUri.relativize(empty.getPath.toUri)
      s"its file $name is empty"
    }
  }

  /**
   * Deletes the checkpoint. If nobody else has files in it, a kill leaves all of it or nothing,
   * except in an object store, which renames a folder file by file.
   */
  def delete(): Unit = {
    notDeletable.foreach(refuse)
    try if (notMovable.isEmpty && !ObjectStores.isOne(folder)) moveAside()
    catch { case _: IOException => } // a mount point cannot be renamed
    delete(folder)
    discardAside()
  }

  /** Starts a query; deletes the folder again if the start fails and leaves a new, empty one. */
  def deletedIfEmpty[T](start: => T): T = {
    val existed = files.exists(folder)
    try start
    catch {
      case e: Throwable =>
        if (!existed && files.exists(folder) && files.listStatus(folder).isEmpty) {
          files.delete(folder, false): Unit
        }
        throw e
    }
  }

  /**
   * Renames the checkpoint, if there is one, so that a query begins without state. It still has to
   * replace the rows that were written before a commit, so it keeps the record of them.
   */
  def setAside(): Unit = {
    notMovable.foreach(refuse)
    // a kill came between
    if (!isCheckpoint(folder)) UncommittedOutput.copyRecord(aside, folder, conf)
    moveAside()
    UncommittedOutput.copyRecord(aside, folder, conf)
  }

  private def moveAside(): Unit = {
    discardAside() // a kill may have left it
    isAside = true
    if (names(folder).nonEmpty) rename(folder, aside)
  }

  /** Undoes `setAside`, if this object has done it. */
  def restore(): Unit = if (isAside && isCheckpoint(aside)) {
    delete(folder)
    rename(aside, folder)
  }

  /** Deletes what `setAside` has renamed. */
  def discardAside(): Unit = delete(aside)

  /**
   * Deletes the offsets or the commit of the first micro-batch that were being written when the
   * application was killed. Spark would refuse each later start, or each one in real-time mode,
   * with STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY, since there is a file, but no micro-batch.
   */
  def deleteUnfinishedLogs(): Unit = for (log <- logs) {
    val found = entries(log).map(_.getPath)
    if (found.forall(isUnfinished)) found.foreach(files.delete(_, false): Unit)
  }

  /**
   * Whether a query has begun and has no offsets, since its first micro-batch, in real-time mode,
   * did not come to its end.
   */
  def hasOnlyBegun: Boolean =
    logs.forall(log => files.exists(log) && entries(log).isEmpty) &&
      (entries(new Path(folder, DIR_NAME_STATE)).nonEmpty ||
        entries(new Path(folder, SOURCES)).exists(source => entries(source.getPath).nonEmpty))

  /** Deletes the state, of which nothing is committed: Spark would refuse each later start. */
  def deleteState(): Unit = files.delete(new Path(folder, DIR_NAME_STATE), true): Unit

  private def logs: Seq[Path] = Seq(DIR_NAME_OFFSETS, DIR_NAME_COMMITS).map(new Path(folder, _))

  /** Deletes the entries of a checkpoint, `metadata` last, and then the folder. */
  private def delete(path: Path): Unit = if (files.exists(path)) {
    names(path).filter(isOwn).sortBy(_ == DIR_NAME_METADATA)
      .foreach(name => files.delete(new Path(path, name), true): Unit)
    if (names(path).isEmpty) files.delete(path, false): Unit
  }

  /** Some file systems would move a folder into one of its new name. */
  private def rename(from: Path, to: Path): Unit =
    if (files.exists(to) || !files.rename(from, to)) {
      throw new IOException(
        s"The checkpoint $from could not be renamed to $to, which exists or cannot be created")
    }

  private def refuse(reason: String): Unit =
    throw new IOException(s"The folder $folder is not deleted: $reason")

  private def names(path: Path): Seq[String] = entries(path).map(_.getPath.getName).sorted

  /** What a folder holds; nothing if it does not exist. */
  private def entries(path: Path): Seq[FileStatus] =
    if (files.exists(path)) files.listStatus(path).toSeq else Nil

  /** Every checkpoint has this file. */
  private def isCheckpoint(path: Path): Boolean = files.exists(new Path(path, DIR_NAME_METADATA))
}

private[streamingquery] object CheckpointFolder {
  private val ASIDE = ".before-reset"
  private val SOURCES = "sources"
  private val WILDCARD = "[*?\\[{]".r

  /** What Spark and eddyline write into a checkpoint. */
  private val OWN = Set(
    DIR_NAME_METADATA, s".$DIR_NAME_METADATA.crc", DIR_NAME_OFFSETS, DIR_NAME_COMMITS,
    DIR_NAME_STATE, SOURCES, CheckpointFile.FOLDER)

  private def isOwn(name: String): Boolean = OWN(name) || isTemporary(name, DIR_NAME_METADATA)

  /** Whether a file has the name that Spark's CheckpointFileManager gives before it renames it. */
  private def isUnfinished(file: Path): Boolean = isTemporary(file.getName, "0")

  private def isTemporary(name: String, target: String): Boolean =
    name.stripPrefix(".").stripPrefix(".").startsWith(s"$target.") && name.startsWith(".") &&
      name.stripSuffix(".crc").endsWith(".tmp")

  /** Whether two queries could delete each other's checkpoint. */
  def overlap(one: String, other: String): Boolean = {
    def folders(path: String) = Seq(new Path(path), new Path(path).suffix(ASIDE))
    folders(one).exists(a => folders(other).exists(b => isWithin(a, b) || isWithin(b, a)))
  }

  /**
   * Whether a checkpoint is another folder, contains it or lies in it. A name in the path of the
   * other folder that has wildcards matches any name.
   */
  def meets(checkpoint: String, other: Path): Boolean =
    Seq(new Path(checkpoint), new Path(checkpoint).suffix(ASIDE)).exists { own =>
      val (one, two) = (real(own).toUri, real(other).toUri)
      def names(uri: URI) = uri.getPath.split('/').toSeq
      one.resolve("/") == two.resolve("/") && names(one).zip(names(two)).forall {
        case (name, pattern) => name == pattern || WILDCARD.findFirstIn(pattern).isDefined
      }
    }

  /** Whether a path is a folder or lies in it; a symbolic link is what it leads to. */
  def isWithin(path: Path, folder: Path): Boolean =
    Iterator.iterate(real(path))(_.getParent).takeWhile(_ != null).contains(real(folder))

  /** The path without symbolic links, which only a local file system has. */
  private def real(path: Path): Path = {
    def follow(local: LocalPath): LocalPath =
      try local.toRealPath()
      catch {
        case _: IOException if local.getParent != null =>
          follow(local.getParent).resolve(local.getFileName)
      }
    if (path.toUri.getScheme == "file") {
      new Path("file", null, follow(Paths.get(path.toUri.getPath)).toString)
    } else {
      path
    }
  }
}
