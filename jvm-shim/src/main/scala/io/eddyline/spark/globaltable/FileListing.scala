package io.eddyline.spark.globaltable

import java.util.zip.CRC32

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * What lies in the folders of a file source: names, lengths and times of modification.
 *
 * Only `listStatus` is used: `listFiles` starts a process a file on a local file system.
 *
 * @param gated whether a folder holds `_SUCCESS`, which a committed write leaves
 * @param writing whether a file is younger than the `_SUCCESS` of its folder
 */
private[globaltable] case class FileListing(fingerprint: Long, gated: Boolean, writing: Boolean)

private[globaltable] object FileListing {
  private val SUCCESS = "_SUCCESS"

  /** As Spark's readers have it: partitions may begin with an underscore. */
  def isHidden(path: Path): Boolean = path.getName match {
    case name if name.startsWith("_") => !name.contains("=")
    case name => name.startsWith(".") || name.endsWith("._COPYING_")
  }

  def of(roots: Seq[Path], conf: Configuration): FileListing = {
    val listed = roots.distinct.map { root =>
      val files = root.getFileSystem(conf)
      def walk(folder: Path): Seq[FileStatus] = files.listStatus(folder).toSeq.flatMap {
        case hidden if isHidden(hidden.getPath) => Nil
        case folder if folder.isDirectory => walk(folder.getPath)
        case file => Seq(file)
      }
      val found = walk(root)
      val success = new Path(root, SUCCESS)
      val committed = Option.when(files.exists(success))(files.getFileStatus(success))
        .map(_.getModificationTime)
      (found, committed)
    }
    val crc = new CRC32
    listed.flatMap(_._1)
      .map(file => s"${file.getPath}|${file.getLen}|${file.getModificationTime}").sorted
      .foreach(line => crc.update(line.getBytes("UTF-8")))
    FileListing(
      crc.getValue,
      listed.exists(_._2.isDefined),
      listed.exists { case (found, committed) =>
        committed.exists(time => found.exists(_.getModificationTime > time))
      })
  }
}
