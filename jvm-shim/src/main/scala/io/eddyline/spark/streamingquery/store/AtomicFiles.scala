package io.eddyline.spark.streamingquery.store

import java.io.{FileNotFoundException, IOException}
import java.util.UUID

import scala.util.Using
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._

/**
 * Small files in one folder. A reader sees all of a file or nothing. While a file is replaced, a
 * reader sees either the old or the new one, also if the writer is killed, and whether or not the
 * file system replaces files in one step.
 *
 * `create` gives a file its name once it is whole. `write` gives it the name `name.next` first,
 * which readers prefer to `name`, and then renames it to `name`. Some file systems need the old
 * file to be deleted before this; [[FileNaming]] hides the difference.
 */
private[store] class AtomicFiles(folder: Path, conf: Configuration) {
  import AtomicFiles._

  private lazy val files = PlainFileSystem.of(folder, conf)
  private lazy val naming = FileNaming.of(files)

  def hasFolder: Boolean = files.exists(folder)

  def makeFolder(): Unit = files.mkdirs(folder): Unit

  /** Returns the names of the files with this suffix; none if there is no folder. */
  def names(suffix: String): Seq[String] = synchronized {
    if (!hasFolder) Nil
    else files.listStatus(folder).toSeq.filter(_.isFile).map(_.getPath.getName.stripSuffix(NEXT))
      .filter(name => name.endsWith(suffix) && !name.startsWith(".")).distinct
  }

  def exists(name: String): Boolean = synchronized(places(name).exists(files.exists))

  /** Returns the content of a file; None if there is none. */
  def read(name: String): Option[Array[Byte]] =
    synchronized(places(name).flatMap(content).nextOption())

  /** Where a file may be: each place twice, as `name.next` may be renamed after the first look. */
  private def places(name: String): Iterator[Path] =
    Iterator(next(name), path(name), next(name), path(name))

  /**
   * Writes a file, or replaces the one of this name.
   *
   * @param check runs last before readers see the new file; if it throws, they keep the old one
   */
  def write(name: String, content: Array[Byte], check: () => Unit = () => ()): Unit = synchronized {
    finish(name)
    if (!put(next(name), content, check)) throw new FileAlreadyExistsException(next(name).toString)
    try finish(name)
    catch { case _: IOException => } // the new file counts; the next write tries again
  }

  /** Writes a new file that `write` never replaces; returns false if its name exists already. */
  def create(name: String, content: Array[Byte]): Boolean =
    synchronized(put(path(name), content, () => ()))

  def remove(name: String): Unit = synchronized {
    for (file <- Seq(path(name), next(name)) if !files.delete(file, false) && files.exists(file)) {
      throw new IOException(s"$file could not be deleted")
    }
  }

  /** Renames `name.next`, if there is one, to `name`. */
  private def finish(name: String): Unit =
    if (files.exists(next(name))) naming.replace(next(name), path(name))

  private def put(target: Path, content: Array[Byte], check: () => Unit): Boolean = {
    val draft = path(s".${target.getName}.${UUID.randomUUID}.tmp")
    try {
      Using.resource(files.create(draft, false)) { out =>
        out.write(content)
        if (out.hasCapability(StreamCapabilities.HSYNC)) out.hsync()
      }
      check()
      naming.publish(draft, target)
    } finally {
      try files.delete(draft, false): Unit
      catch { case NonFatal(_) => } // a draft that is left is never read
    }
  }

  private def content(file: Path): Option[Array[Byte]] =
    try Some(Using.resource(files.open(file))(_.readAllBytes()))
    catch { case _: FileNotFoundException => None }

  private def path(name: String): Path = new Path(folder, name)

  private def next(name: String): Path = path(s"$name$NEXT")
}

private[store] object AtomicFiles {
  private val NEXT = ".next"

  /**
   * The maximum length of a file name in bytes: `.name.next.<uuid>.tmp`, which is written first, is
   * 47 bytes longer than the name.
   */
  val MAX_BYTES: Int = FileName.MAX_BYTES - 47
}

/**
 * The file system of a path as it is: Hadoop's local file system otherwise hides the checksums that
 * it writes beside each file, and renames and deletes them in steps of their own.
 */
private[streamingquery] object PlainFileSystem {
  def of(path: Path, conf: Configuration): FileSystem = path.getFileSystem(conf) match {
    case checked: ChecksumFileSystem => checked.getRawFileSystem
    case other => other
  }
}
