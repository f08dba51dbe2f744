package io.eddyline.spark.streamingquery.store

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission

/**
 * The definitions of persistent streaming queries: one JSON file each, in one folder. Only the
 * driver's user can read the folder.
 */
private[streamingquery] class QueryStore(folder: Path, conf: Configuration) {
  import QueryStore._

  private val files = new AtomicFiles(folder, conf)

  def exists: Boolean = files.hasFolder

  /** The definitions by the keys of their names; an error for a file that cannot be read. */
  def all: Map[String, Try[StoredQuery]] = files.names(SUFFIX).flatMap { file =>
    read(file).map(FileName.keyOf(file.stripSuffix(SUFFIX)) -> _)
  }.toMap

  /** Returns the definition of a query; None if there is none. */
  def find(name: String): Option[Try[StoredQuery]] = file(name).flatMap(read)

  def contains(name: String): Boolean = file(name).exists(files.exists)

  /** Whether a definition of this name has a file name that file systems take. */
  def canHold(name: String): Boolean = file(name).isDefined

  /** Writes a definition whose name the store can hold. */
  def write(query: StoredQuery): Unit = {
    make()
    files.write(file(query.name).get, Json.write(query))
  }

  def remove(name: String): Unit = file(name).foreach(files.remove)

  /** Makes the folder, unless it exists. */
  def make(): Unit = if (!exists) {
    files.makeFolder()
    folder.getFileSystem(conf).setPermission(folder, PRIVATE)
  }

  private def file(name: String): Option[String] =
    FileName.of(name).map(_ + SUFFIX).filter(_.length <= AtomicFiles.MAX_BYTES)

  /** Reads a file; None if it was removed meanwhile. */
  private def read(file: String): Option[Try[StoredQuery]] =
    files.read(file).map(bytes => Try(Json.read[StoredQuery](bytes)))
}

private[streamingquery] object QueryStore {
  private val SUFFIX = ".json"
  private val PRIVATE = new FsPermission("700")

  /** The maximum length in bytes of a name in the form that [[FileName]] gives it. */
  val MAX_BYTES: Int = AtomicFiles.MAX_BYTES - SUFFIX.length
}
