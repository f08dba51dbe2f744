package io.eddyline.spark.streamingquery.store

import java.io.FileNotFoundException

import scala.util.{Try, Using}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager

/**
 * The definitions of persistent streaming queries: one JSON file each, in one folder. A file is
 * replaced as a whole, by Spark's own [[CheckpointFileManager]], so a reader sees the old or the
 * new definition. Only the driver's user can read the folder.
 */
private[streamingquery] class QueryStore(folder: Path, conf: Configuration) {
  import QueryStore._

  private lazy val files = CheckpointFileManager.create(folder, conf)

  def exists: Boolean = files.exists(folder)

  /** The definitions by the keys of their names; an error for a file that cannot be read. */
  def all: Map[String, Try[StoredQuery]] =
    if (!exists) Map.empty
    else files.list(folder, isDefinition(_)).flatMap { file =>
      val key = FileName.keyOf(file.getPath.getName.stripSuffix(SUFFIX))
      read(file.getPath).map(key -> _)
    }.toMap

  /** Returns the definition of a query; None if there is none. */
  def find(name: String): Option[Try[StoredQuery]] = file(name).filter(files.exists).flatMap(read)

  /** Whether a definition of this name has a file name that file systems take. */
  def canHold(name: String): Boolean = file(name).isDefined

  def write(query: StoredQuery): Unit = {
    make()
    val out = files.createAtomic(file(query.name).get, overwriteIfPossible = true)
    try {
      out.write(Json.write(query))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  def remove(name: String): Unit = file(name).foreach(files.delete)

  /** Makes the folder, unless it exists. */
  def make(): Unit = if (!exists) {
    files.mkdirs(folder)
    folder.getFileSystem(conf).setPermission(folder, PRIVATE)
  }

  private def file(name: String): Option[Path] = FileName.of(name).map(_ + SUFFIX)
    .filter(_.length <= FileName.MAX_BYTES).map(new Path(folder, _))

  /** Reads a file; None if it was removed meanwhile. */
  private def read(file: Path): Option[Try[StoredQuery]] =
    try {
      val bytes = Using.resource(files.open(file))(_.readAllBytes())
      Some(Try(Json.read[StoredQuery](bytes)))
    } catch { case _: FileNotFoundException => None }
}

private object QueryStore {
  private val SUFFIX = ".json"
  private val PRIVATE = new FsPermission("700")

  private def isDefinition(file: Path): Boolean =
    file.getName.endsWith(SUFFIX) && !file.getName.startsWith(".")
}
