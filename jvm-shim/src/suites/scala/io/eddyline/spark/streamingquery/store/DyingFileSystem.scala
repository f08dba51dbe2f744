package io.eddyline.spark.streamingquery.store

import java.io.IOException

import org.apache.hadoop.fs.{FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/**
 * A file system from which the program is gone after some changes: all that follow fail. It does
 * not rename to a name that exists, and moves a folder into one that does, as HDFS.
 */
class DyingFileSystem extends RawLocalFileSystem {
  import DyingFileSystem._

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable): FSDataOutputStream = {
    change()
    super.create(path, permission, overwrite, buffer, replication, block, progress)
  }

  override def create(
      path: Path,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable): FSDataOutputStream = {
    change()
    super.create(path, overwrite, buffer, replication, block, progress)
  }

  override def rename(from: Path, to: Path): Boolean = {
    change()
    if (!exists(to)) super.rename(from, to)
    else getFileStatus(to).isDirectory && super.rename(from, new Path(to, from.getName))
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    change()
    super.delete(path, recursive)
  }
}

object DyingFileSystem {
  private var left = Int.MaxValue

  /** Runs something that dies before its n-th change, counted from 0; returns whether it did. */
  def diesAt(n: Int)(body: => Unit): Boolean = {
    left = n
    try {
      try body
      catch { case _: IOException if left < 0 => }
      left < 0
    } finally left = Int.MaxValue
  }

  private def change(): Unit = {
    left -= 1
    if (left < 0) throw new IOException("the program is dead")
  }
}
