package io.eddyline.spark.streamingquery

import java.io.IOException
import java.net.URI
import java.nio.file.{Path => LocalPath, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.streaming.runtime.StreamingCheckpointConstants._

import io.eddyline.spark.base.{CheckpointFile, CheckpointGeneration, EddylineErrors}
import io.eddyline.spark.realtime.UncommittedOutput
import io.eddyline.spark.streamingquery.store.PlainFileSystem

/**
 * The folder of a checkpoint, and the generation of it in which a query keeps its state, see
 * [[CheckpointGeneration]]. What neither Spark nor eddyline writes into a checkpoint stays.
 *
 * @param path its qualified path
 */
private[streamingquery] class CheckpointFolder(path: String, generation: Int, conf: Configuration) {
  import CheckpointFolder._

  private val root = new Path(path)
  private val generations = new Path(root, CheckpointGeneration.FOLDER)
  private val folder = CheckpointGeneration.folder(root, generation)

  /** The folder of the generation, in which Spark keeps the state. */
  def state: String = folder.toString

  private val files = PlainFileSystem.of(root, conf)

  /** Why the checkpoint cannot be deleted; None if it can, or does not exist. */
  def notDeletable: Option[String] = {
    val foreign = names(root).filterNot(isOwn)
    val isCheckpoint = Seq(new Path(root, DIR_NAME_METADATA), generations).exists(files.exists)
    Option.when(foreign.nonEmpty && !isCheckpoint)(
      s"it has no file $DIR_NAME_METADATA, but ${foreign.mkString(", ")}")
  }

  /**
   * Checks that a query can continue from it, as far as its files show.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED.
   *
   * @param redact removes secrets from a text
   */
  def requireUndamaged(redact: String => String, place: Origin): Unit = damage.foreach { reason =>
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_DAMAGED", place,
      "checkpoint" -> redact(path), "reason" -> reason)
  }

  private def damage: Option[String] = {
    val written = entries(folder).filter(_.getPath.getName == DIR_NAME_METADATA) ++
      logs.flatMap(entries).filter(_.getPath.getName.forall(_.isDigit))
    written.find(_.getLen == 0).map { empty =>
      val name = root.toUri.relativize(empty.getPath.toUri)
      s"its file $name is empty"
    }
  }

  /** Makes the generation, which is complete then and has no state. */
  def make(): Unit = {
    discard()
    UncommittedOutput.repair(root, conf)
    complete()
  }

  /** Undoes `make`. */
  def discard(): Unit = above(generation - 1).foreach(deleteGeneration)

  /** Opens the generation for a query that starts; later ones have never counted. */
  def open(): Unit = {
    deleteLater()
    if (generation > 0) complete()
  }

  private def complete(): Unit =
    if (!isComplete(generation)) files.create(marker(generation), false).close()

  private def isComplete(number: Int): Boolean = files.exists(marker(number))

  private def marker(number: Int): Path =
    CheckpointGeneration.marker(CheckpointGeneration.folder(root, number))

  def deleteLater(): Unit = above(generation).foreach(deleteGeneration)

  /** Deletes the generations before this one, which has a commit; a kill leaves this one. */
  def deleteEarlier(): Unit = if (generation > 0) {
    above(0).filter(_ < generation).foreach(deleteGeneration)
    names(root).filter(name => isOwn(name) && name != CheckpointFile.FOLDER)
      .foreach(delete(root, _))
    val own = new Path(root, CheckpointFile.FOLDER)
    names(own).filter(CheckpointGeneration.isOwn).foreach(delete(own, _))
  }

  /** Deletes the checkpoint with all generations. A deletion that is killed can be repeated. */
  def delete(): Unit = {
    notDeletable.foreach(reason => throw new IOException(s"$root is not deleted: $reason"))
    val (last, first) = names(root).filter(isOwn).partition(_ == DIR_NAME_METADATA)
    first.foreach(delete(root, _))
    above(0).foreach(deleteGeneration)
    deleteIfEmpty(generations)
    last.foreach(delete(root, _)) // it says until then that the folder is a checkpoint
    deleteIfEmpty(root)
  }

  private def deleteIfEmpty(path: Path): Unit =
    if (files.exists(path) && names(path).isEmpty) files.delete(path, false): Unit

  private def deleteGeneration(number: Int): Unit = {
    files.delete(marker(number), false)
    files.delete(CheckpointGeneration.folder(root, number), true): Unit
  }

  /** The generations above a number, the highest first, whether complete or not. */
  private def above(number: Int): Seq[Int] =
    names(generations).flatMap(_.toIntOption).filter(_ > number).sorted.reverse

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

  private def delete(parent: Path, name: String): Unit =
    files.delete(new Path(parent, name), true): Unit

  private def names(path: Path): Seq[String] = entries(path).map(_.getPath.getName).sorted

  /** What a folder holds; nothing if it does not exist. */
  private def entries(path: Path): Seq[FileStatus] =
    if (files.exists(path)) files.listStatus(path).toSeq else Nil
}

private[streamingquery] object CheckpointFolder {
  private val SOURCES = "sources"
  private val WILDCARD = "[*?\\[{]".r

  /** What Spark and eddyline write into a checkpoint, besides its generations. */
  private val OWN = Set(
    DIR_NAME_METADATA, s".$DIR_NAME_METADATA.crc", DIR_NAME_OFFSETS, DIR_NAME_COMMITS,
    DIR_NAME_STATE, SOURCES, CheckpointFile.FOLDER)

  private def isOwn(name: String): Boolean = OWN(name) || isTemporary(name, DIR_NAME_METADATA)

  /** Whether a file has the name that Spark's CheckpointFileManager gives before it renames it. */
  private def isUnfinished(file: Path): Boolean = isTemporary(file.getName, "0")

  private def isTemporary(name: String, target: String): Boolean =
    name.stripPrefix(".").stripPrefix(".").startsWith(s"$target.") && name.startsWith(".") &&
      name.stripSuffix(".crc").endsWith(".tmp")

  /** Returns the highest generation that is complete. */
  def newest(path: String, conf: Configuration): Int = {
    val folder = new CheckpointFolder(path, 0, conf)
    folder.above(0).find(folder.isComplete).getOrElse(0)
  }

  /** Whether two queries could delete each other's checkpoint. */
  def overlap(one: String, other: String): Boolean = {
    val (a, b) = (new Path(one), new Path(other))
    isWithin(a, b) || isWithin(b, a)
  }

  /**
   * Whether a checkpoint is another folder, contains it or lies in it. A name in the path of the
   * other folder that has wildcards matches any name.
   */
  def meets(checkpoint: String, other: Path): Boolean = {
    val (one, two) = (real(new Path(checkpoint)).toUri, real(other).toUri)
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
