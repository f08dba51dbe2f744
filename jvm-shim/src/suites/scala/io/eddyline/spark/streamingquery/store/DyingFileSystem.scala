package io.eddyline.spark.streamingquery.store

import org.apache.hadoop.fs.{FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable

/**
 * A local file system whose changes alone are steps, so that the program dies at one of them. It
 * does not rename to a name that exists, and moves a folder into one that does, as HDFS.
 */
class DyingFileSystem extends RenamingAsHdfs with SteppedChanges {

  override def create(
      path: Path,
      overwrite: Boolean,
      buffer: Int,
      replication: Short,
      block: Long,
      progress: Progressable): FSDataOutputStream =
    step(super.create(path, overwrite, buffer, replication, block, progress))
}

/** The local file system that renames as HDFS. */
class RenamingAsHdfs extends RawLocalFileSystem {
  override def rename(from: Path, to: Path): Boolean =
    if (!exists(to)) super.rename(from, to)
    else getFileStatus(to).isDirectory && super.rename(from, new Path(to, from.getName))
}
