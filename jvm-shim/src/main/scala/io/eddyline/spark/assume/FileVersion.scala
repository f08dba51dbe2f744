package io.eddyline.spark.assume

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata

/** A file as it was listed; `modified` in milliseconds. */
private[assume] case class FileVersion(path: String, length: Long, modified: Long)

private[assume] object FileVersion {

  def apply(file: FileStatusWithMetadata): FileVersion =
    FileVersion(file.getPath.toString, file.getLen, file.getModificationTime)

  /**
   * Whether every file is still as it was listed; not if that cannot be told. One call for each
   * folder.
   */
  def unchanged(files: Seq[FileVersion], conf: Configuration): Boolean =
    files.groupBy(file => new Path(file.path).getParent).forall { case (folder, listed) =>
      val now = Try(folder.getFileSystem(conf).listStatus(folder)).getOrElse(Array.empty)
      val versions = now.map { file =>
        FileVersion(file.getPath.toString, file.getLen, file.getModificationTime)
      }.toSet
      listed.forall(versions.contains)
    }
}
