package io.eddyline.spark

import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

import io.eddyline.spark.faults.FileFaults

/**
 * Hadoop's local file system, implemented with Java alone and without links. Without its native
 * library Hadoop starts a process (`chmod`, `readlink`) for every file that it creates or renames,
 * which takes most of the time of a small micro-batch.
 */
class PlainLocalFileSystem extends LocalFileSystem(new PlainRawFileSystem)

/** The same file system for the API that Spark's checkpoints use. */
class PlainLocalFs(uri: URI, conf: Configuration) extends ChecksumFs(new PlainRawLocalFs(uri, conf))

private[spark] class PlainRawFileSystem extends RawLocalFileSystem {
  override def setPermission(path: Path, permission: FsPermission): Unit = {
    val rights = PosixFilePermissions.fromString(new FsPermission(permission.toShort).toString)
    Files.setPosixFilePermissions(pathToFile(path).toPath, rights)
  }

  override def getFileLinkStatus(path: Path): FileStatus = getFileStatus(path)

  override def open(path: Path, buffer: Int): FSDataInputStream = {
    FileFaults.reading(path)
    super.open(path, buffer)
  }

  override def create(
      path: Path,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable): FSDataOutputStream = {
    FileFaults.writing(path)
    super.create(path, overwrite, buffer, replication, block, progress)
  }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable): FSDataOutputStream = {
    FileFaults.writing(path)
    super.create(path, permission, overwrite, buffer, replication, block, progress)
  }

  override def mkdirs(path: Path): Boolean = {
    FileFaults.changing(path)
    super.mkdirs(path)
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    FileFaults.deleting(path)
    super.delete(path, recursive)
  }

  override def rename(source: Path, target: Path): Boolean = {
    FileFaults.changing(source)
    val isRenamed = super.rename(source, target)
    FileFaults.renamed(source, target)
    isRenamed
  }
}

private class PlainRawLocalFs(uri: URI, conf: Configuration)
  extends DelegateToFileSystem(uri, new PlainRawFileSystem, conf, "file", false) {
  override def getUriDefaultPort: Int = -1

  override def isValidName(source: String): Boolean = true
}
