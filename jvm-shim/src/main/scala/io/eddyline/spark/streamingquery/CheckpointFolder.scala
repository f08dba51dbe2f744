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
 * [[CheckpointGeneration]]. Deletions leave what neither Spark nor eddyline writes into it.
 *
 * @param path the qualified path of the folder
 * @param generation the number of the generation; 0 is the folder itself
 */
private[streamingquery] class CheckpointFolder(path: String, generation: Int, conf: Configuration) {
  import CheckpointFolder._

  private val root = new Path(path)
  private val generations = new Path(root, CheckpointGeneration.FOLDER)
  private val folder = CheckpointGeneration.folder(root, generation)

  /** The folder of the generation, which is the checkpoint location for Spark. */
  def location: String = folder.toString

  /** Has the files of generation 0, and those that belong to all generations. */
  private val shared = new Path(root, CheckpointFile.FOLDER)

  /** A file that is there from the begin of a deletion of all generations to its end. */
  private val deletion = new Path(shared, DELETION)

  private val files = PlainFileSystem.of(root, conf)

  /** Why the checkpoint cannot be deleted; None if it can, or does not exist. */
  def whyNotDeletable: Option[String] = {
    val foreign = names(root).filterNot(isOwn)
    val isCheckpoint = Seq(new Path(root, DIR_NAME_METADATA), deletion).exists(files.exists) ||
      files.exists(generations) && names(generations).size == above(0).size
    Option.when(foreign.nonEmpty && !isCheckpoint)(
      s"it has no file $DIR_NAME_METADATA, but ${foreign.mkString(", ")}")
  }

  /**
   * Checks that a query can continue from the generation, as far as the sizes of its files show,
   * and that no deletion of the checkpoint has begun and not ended.
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
    lazy val written = entries(folder).filter(_.getPath.getName == DIR_NAME_METADATA) ++
      logs.flatMap(entries).filter(_.getPath.getName.forall(_.isDigit))
    if (files.exists(deletion)) Some("PURGE has deleted a part of it")
    else written.find(_.getLen == 0).map { empty =>
      s"its file ${root.toUri.relativize(empty.getPath.toUri)} is empty"
    }
  }

  /**
   * Makes the generation without state, and marks it as complete. Ends a deletion of all first.
   *
   * @param requireOwner checks, before something is deleted, that this application may do so
   */
  def make(requireOwner: => Unit): Unit = {
    discard(requireOwner)
    if (files.exists(deletion)) {
      requireOwner
      delete()
    }
    UncommittedOutput.repair(root, conf)
    complete()
  }

  /** Undoes `make`: deletes this generation and all later ones. */
  def discard(requireOwner: => Unit): Unit = deleteAbove(generation - 1, requireOwner)

  /** Prepares the generation for a query that starts. Later ones are left from a failed CREATE. */
  def open(requireOwner: => Unit): Unit = {
    deleteLaterGenerations(requireOwner)
    if (generation > 0) complete()
  }

  /** Writes the file that says that the generation is complete, if it does not exist. */
  private def complete(): Unit =
    if (!isComplete(generation)) files.create(marker(generation), false).close()

  private def isComplete(number: Int): Boolean = files.exists(marker(number))

  private def marker(number: Int): Path =
    CheckpointGeneration.marker(CheckpointGeneration.folder(root, number))

  /** Deletes the generations after this one, which a failed CREATE has left. */
  def deleteLaterGenerations(requireOwner: => Unit): Unit = deleteAbove(generation, requireOwner)

  private def deleteAbove(number: Int, requireOwner: => Unit): Unit = {
    val found = above(number)
    if (found.nonEmpty) requireOwner // listing them may have taken long
    found.foreach(deleteGeneration)
  }

  /** Deletes the generations before this one, once it has a commit; 0 lies in `root` itself. */
  def deleteEarlierGenerations(): Unit = if (generation > 0) {
    above(0).filter(_ < generation).foreach(deleteGeneration)
    deleteIn(root)(name => isOwn(name) && name != CheckpointFile.FOLDER)
    deleteIn(shared)(CheckpointGeneration.isOwn)
  }

  /**
   * Deletes the checkpoint with all generations. If that fails or is killed it can be repeated, and
   * until then no query continues from what is left.
   */
  def delete(): Unit = {
    whyNotDeletable.foreach(reason => throw new IOException(s"$root is not deleted: $reason"))
    if (names(root).exists(isOwn) || above(0).nonEmpty) {
      if (!files.exists(deletion)) files.create(deletion, false).close()
      deleteIn(root)(name => isOwn(name) && name != CheckpointFile.FOLDER)
      above(0).foreach(deleteGeneration)
      deleteIfEmpty(generations)
      deleteIn(shared)(_ != DELETION)
      delete(shared)
    }
    deleteIfEmpty(root)
  }

  private def deleteIn(folder: Path)(isDeleted: String => Boolean): Unit =
    names(folder).filter(isDeleted).foreach(name => delete(new Path(folder, name)))

  private def deleteIfEmpty(path: Path): Unit =
    if (files.exists(path) && names(path).isEmpty) files.delete(path, false): Unit

  private def deleteGeneration(number: Int): Unit = {
    delete(marker(number))
    delete(CheckpointGeneration.folder(root, number))
  }

  /** The generations above a number, the highest first, whether complete or not. */
  private def above(number: Int): Seq[Int] =
    names(generations).flatMap(_.toIntOption).filter(_ > number).sorted.reverse
      .filter(found =>
        isComplete(found) || names(CheckpointGeneration.folder(root, found)).forall(isOwn))

  /** Starts a query. If that fails, deletes the generation's folder if it is new and empty. */
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
   * Deletes the temporary file of the first micro-batch's offsets or commit, if the application was
   * killed while it wrote it. Because of this file Spark would refuse each later start, or each one
   * in real-time mode, with STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY.
   */
  def deleteUnfinishedLogs(): Unit = for (log <- logs) {
    val found = entries(log).map(_.getPath)
    // a file of micro-batch 0 that Spark has not renamed yet
    if (found.forall(file => isTemporary(file.getName, "0"))) {
      found.foreach(files.delete(_, false): Unit)
    }
  }

  /**
   * Whether a query has written state or a source's files, but neither offsets nor commits: its
   * first micro-batch, in real-time mode, has not ended.
   */
  def hasUncommittedFirstBatch: Boolean =
    logs.forall(log => files.exists(log) && entries(log).isEmpty) &&
      (entries(new Path(folder, DIR_NAME_STATE)).nonEmpty ||
        entries(new Path(folder, SOURCES)).exists(source => entries(source.getPath).nonEmpty))

  /** Deletes state of which nothing is committed, because Spark refuses to start with it. */
  def deleteState(): Unit = files.delete(new Path(folder, DIR_NAME_STATE), true): Unit

  private def logs: Seq[Path] = Seq(DIR_NAME_OFFSETS, DIR_NAME_COMMITS).map(new Path(folder, _))

  private def delete(path: Path): Unit = if (!files.delete(path, true) && files.exists(path)) {
    throw new IOException(s"$path could not be deleted")
  }

  private def names(path: Path): Seq[String] = entries(path).map(_.getPath.getName).sorted

  /** What a folder holds; nothing if it does not exist. */
  private def entries(path: Path): Seq[FileStatus] =
    if (files.exists(path)) files.listStatus(path).toSeq else Nil
}

private[streamingquery] object CheckpointFolder {
  private val SOURCES = "sources"
  private val DELETION = "deleting"
  private val WILDCARD = "[*?\\[{]".r

  /** What Spark and eddyline write into a checkpoint, besides its generations. */
  private val OWN = Set(
    DIR_NAME_METADATA, s".$DIR_NAME_METADATA.crc", DIR_NAME_OFFSETS, DIR_NAME_COMMITS,
    DIR_NAME_STATE, SOURCES, CheckpointFile.FOLDER)

  private def isOwn(name: String): Boolean = OWN(name) || isTemporary(name, DIR_NAME_METADATA)

  /** Whether a name is that of Spark's temporary file for `target`, or of its checksum. */
  private def isTemporary(name: String, target: String): Boolean =
    name.stripPrefix(".").stripPrefix(".").startsWith(s"$target.") && name.startsWith(".") &&
      name.stripSuffix(".crc").endsWith(".tmp")

  /** Returns the highest generation that is complete. */
  def newest(path: String, conf: Configuration): Int = {
    val folder = new CheckpointFolder(path, 0, conf)
    folder.above(0).find(folder.isComplete).getOrElse(0)
  }

  /** Whether two checkpoints are one folder, or one lies in the other. */
  def overlap(one: String, other: String): Boolean = {
    val (a, b) = (new Path(one), new Path(other))
    isWithin(a, b) || isWithin(b, a)
  }

  /**
   * Whether a checkpoint is another folder, contains it or lies in it. In the path of the other
   * folder, a name with wildcards counts as one that matches any name.
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
    if (path.toUri.getScheme != "file") path
    else new Path("file", null, follow(Paths.get(path.toUri.getPath)).toString)
  }
}
