package io.eddyline.spark.streamingquery.store

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumFileSystem, FileSystem, Path}

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
