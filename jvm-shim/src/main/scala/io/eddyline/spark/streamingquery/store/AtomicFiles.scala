package io.eddyline.spark.streamingquery.store

import java.io.FileNotFoundException

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

/**
 * Small files in one folder, each of which is written as a whole by Spark's own
 * [[CheckpointFileManager]], so a reader sees all of a file or nothing.
 *
 * Hadoop replaces a local file in two steps, and for a moment there is none. Readers of the same
 * object wait for the writer; another process may find no file.
 */
private[store] class AtomicFiles(folder: Path, conf: Configuration) {
  private lazy val files = CheckpointFileManager.create(folder, conf)

  def hasFolder: Boolean = files.exists(folder)

  def makeFolder(): Unit = files.mkdirs(folder)

  /** The names of the files with this suffix; none if there is no folder. */
  def names(suffix: String): Seq[String] = synchronized {
    if (!hasFolder) Nil
    else files.list(folder).map(_.getPath.getName).toSeq
      .filter(name => name.endsWith(suffix) && !name.startsWith("."))
  }

  def exists(name: String): Boolean = synchronized(files.exists(path(name)))

  /** Returns the content of a file; None if there is none. */
  def read(name: String): Option[Array[Byte]] = synchronized {
    try Some(Using.resource(files.open(path(name)))(_.readAllBytes()))
    catch { case _: FileNotFoundException => None }
  }

  /** Writes a file, in the place of one of its name. */
  def write(name: String, content: Array[Byte]): Unit = put(name, content, overwrite = true)

  /** Writes a file; returns false if one of its name exists, which stays as it is. */
  def create(name: String, content: Array[Byte]): Boolean =
    try {
      put(name, content, overwrite = false)
      true
    } catch { case _: FileAlreadyExistsException => false }

  def remove(name: String): Unit = files.delete(path(name))

  private def put(name: String, content: Array[Byte], overwrite: Boolean): Unit = synchronized {
    val out = files.createAtomic(path(name), overwrite)
    try {
      out.write(content)
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  private def path(name: String): Path = new Path(folder, name)
}

private[store] object AtomicFiles {

  /**
   * The maximum length of a file name in bytes. Spark writes `.name.<uuid>.tmp` first, and Hadoop
   * its checksum to `..name.<uuid>.tmp.crc`, which is 47 bytes longer than the name.
   */
  val MAX_BYTES: Int = FileName.MAX_BYTES - 47
}
