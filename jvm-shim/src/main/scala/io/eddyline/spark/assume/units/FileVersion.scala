package io.eddyline.spark.assume.units

import java.util.concurrent.Executors

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.eddyline.DaemonThreads
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata

/** A file as it was listed: its path, length in bytes and modification time in ms. */
private[assume] case class FileVersion(path: String, length: Long, modified: Long) {

  /**
   * Whether both are the same version of a file. If one of the times is in whole seconds, only
   * seconds are compared, since an object store may report a time with or without milliseconds.
   */
  def isSame(other: FileVersion): Boolean = {
    val areSeconds = modified % 1000 == 0 || other.modified % 1000 == 0
    path == other.path && length == other.length && (modified == other.modified ||
      areSeconds && modified / 1000 == other.modified / 1000)
  }
}

private[assume] object FileVersion {

  def apply(file: FileStatusWithMetadata): FileVersion = FileVersion(file.fileStatus)

  def apply(file: FileStatus): FileVersion =
    FileVersion(file.getPath.toString, file.getLen, file.getModificationTime)

  /** Whether every file is still as it was listed; false if a folder cannot be listed. */
  def areUnchanged(files: Seq[FileVersion], conf: Configuration): Boolean = {
    val folders = files.groupBy(file => new Path(file.path).getParent).toSeq
    val pool = Executors.newFixedThreadPool(16, DaemonThreads("eddyline-assume-listing"))
    try folders.map { case (folder, listed) =>
        pool.submit[Boolean](() => isUnchanged(folder, listed, conf))
      }.forall(_.get())
    finally pool.shutdownNow(): Unit
  }

  private def isUnchanged(
      folder: Path, listed: Seq[FileVersion], conf: Configuration): Boolean = {
    val now = Try(folder.getFileSystem(conf).listStatus(folder)).getOrElse(Array.empty)
    val versions = now.map(FileVersion(_)).map(file => file.path -> file).toMap
    listed.forall(file => versions.get(file.path).exists(_.isSame(file)))
  }
}
