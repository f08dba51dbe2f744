package io.eddyline.spark.streamingquery.store

import scala.util.{Failure, Success, Try}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.fs.permission.{FsAction, FsPermission}
import org.apache.spark.SparkThrowable

import io.eddyline.spark.base.{EddylineErrors, Json, RecoverableError}

/**
 * The definitions of persistent streaming queries: one JSON file each, in one folder. Only the
 * driver's user can read the folder, unless it existed before.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.LOCATION_FAILED, LOCATION_NOT_PROTECTED.
 */
private[streamingquery] class QueryStore(path: Path, conf: Configuration) {
  import QueryStore._

  private val files = new AtomicFiles(path, conf)

  /** The folder with its file system. */
  lazy val folder: Path = withLocationError(path.getFileSystem(conf).makeQualified(path))

  def exists: Boolean = withLocationError(files.hasFolder)

  /** The keys of the names of the queries. */
  def keys: Seq[String] =
    withLocationError(files.names(SUFFIX)).map(_.stripSuffix(SUFFIX)).flatMap(FileName.keyOf)

  /** The definitions by the keys of their names; an error for a file that cannot be read. */
  def all: Map[String, Try[StoredQuery]] = {
    lazy val checked = Try(withLocationError(requireProtected()))
    keys.flatMap(key => read(key, checked).map(key -> _)).toMap
  }

  /** Returns the definition of a query; None if there is none. */
  def find(name: String): Option[Try[StoredQuery]] =
    read(name, Try(withLocationError(requireProtected())))

  /** The names and checkpoints of the queries but for one, as far as they can be read. */
  def checkpointsExcept(name: String): Seq[(String, String)] =
    all.toSeq.collect {
      case (key, Success(stored)) if key != FileName.key(name) => stored.name -> stored.checkpoint
    }

  private def read(name: String, checked: => Try[Unit]): Option[Try[StoredQuery]] =
    file(name).flatMap { file =>
      Try(withLocationError(files.read(file))) match {
        case Success(bytes) => bytes.map(bytes => checked.map(_ => Json.read[StoredQuery](bytes)))
        case Failure(e) => Some(Failure(e))
      }
    }

  def contains(name: String): Boolean = withLocationError(file(name).exists(files.exists))

  /** Whether a definition of this name has a file name that file systems take. */
  def canHold(name: String): Boolean = file(name).isDefined

  /**
   * Writes a definition whose name the store can hold.
   *
   * @param check is done last, before the definition counts
   */
  def write(query: StoredQuery)(check: => Unit): Unit =
    write(query.name, Json.write(query), () => check)

  /** Returns the file of a query as it is. */
  def content(name: String): Option[Array[Byte]] = withLocationError(file(name).flatMap(files.read))

  /** Writes what `content` has returned. */
  def restore(name: String, content: Array[Byte]): Unit = write(name, content, () => ())

  private def write(name: String, content: Array[Byte], check: () => Unit): Unit = {
    make()
    withLocationError(files.write(file(name).get, content, check))
  }

  def remove(name: String): Unit = withLocationError(file(name).foreach(files.remove))

  /** Makes the folder, or checks the one that exists. */
  def make(): Unit = withLocationError {
    if (files.hasFolder) requireProtected()
    else {
      files.makeFolder()
      folder.getFileSystem(conf).setPermission(folder, PRIVATE)
    }
  }

  /** A definition says as whom its query runs, so nobody else may write one. */
  private def requireProtected(): Unit = {
    val system = folder.getFileSystem(conf)
    if (WITH_RIGHTS(system.getUri.getScheme)) {
      val rights = system.getFileStatus(folder).getPermission
      if (Seq(rights.getGroupAction, rights.getOtherAction).exists(_.implies(FsAction.WRITE))) {
        throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.LOCATION_NOT_PROTECTED",
          Map("location" -> folder.toString))
      }
    }
  }

  private def file(name: String): Option[String] =
    FileName.of(name).map(_ + SUFFIX).filter(_.length <= AtomicFiles.MAX_BYTES)

  /** Does something whose errors, such as a full disk or an unknown host, are LOCATION_FAILED. */
  def withLocationError[T](action: => T): T =
    try action
    catch {
      case named: SparkThrowable => throw named
      case RecoverableError(e) => throw EddylineErrors.analysis(
          "EDDYLINE_STREAMING_QUERY.LOCATION_FAILED",
          Map("location" -> path.toString, "error" -> Option(e.getMessage).getOrElse(e.toString)),
          cause = Some(e))
    }
}

private[streamingquery] object QueryStore {
  private val SUFFIX = ".json"
  private val PRIVATE = new FsPermission("700")

  /** Schemes of file systems that do not make up the rights of a folder, as object stores do. */
  private val WITH_RIGHTS = Set("file", "hdfs", "swebhdfs", "viewfs", "webhdfs")

  /** The maximum length in bytes of a name in the form that [[FileName]] gives it. */
  val MAX_BYTES: Int = AtomicFiles.MAX_BYTES - SUFFIX.length
}
