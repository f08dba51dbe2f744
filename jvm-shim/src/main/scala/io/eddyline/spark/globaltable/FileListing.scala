package io.eddyline.spark.globaltable

import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.CRC32

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * What lies in the folders of a file source: names, lengths and times of modification.
 *
 * Only `listStatus` is used: `listFiles` starts a process a file on a local file system.
 *
 * @param gates how many folders hold `_SUCCESS`, which a committed write leaves
 * @param committed whether all of them do
 * @param writing whether a file is younger than the `_SUCCESS` of its folder, or a task is to write
 */
private[globaltable] case class FileListing(
    fingerprint: Long,
    gates: Int,
    committed: Boolean,
    writing: Boolean)

private[globaltable] object FileListing {
  private val SUCCESS = "_SUCCESS"
  private val TEMPORARY = "_temporary"

  /** As Spark's readers have it: partitions may begin with an underscore. */
  def isHidden(path: Path): Boolean = path.getName match {
    case name if name.startsWith("_") => !name.contains("=")
    case name => name.startsWith(".") || name.endsWith("._COPYING_")
  }

  def of(roots: Seq[Path], conf: Configuration): FileListing = {
    val folders = roots.distinct.map(new Folder(_, conf))
    val crc = new CRC32
    folders.flatMap(_.files)
      .map(file => s"${file.getPath}|${file.getLen}|${file.getModificationTime}").sorted
      .foreach(line => crc.update(line.getBytes(UTF_8)))
    FileListing(
      crc.getValue,
      folders.count(_.committed.isDefined),
      folders.forall(_.committed.isDefined),
      folders.exists(_.isWriting))
  }

  private class Folder(root: Path, conf: Configuration) {
    private val system = root.getFileSystem(conf)
    private val top = system.listStatus(root).toSeq

    val files: Seq[FileStatus] = walk(top)

    /** When the last write was complete. */
    val committed: Option[Long] = top.find(_.getPath.getName == SUCCESS).map(_.getModificationTime)

    def isWriting: Boolean =
      top.exists(_.getPath.getName == TEMPORARY) ||
        committed.exists(time => files.exists(_.getModificationTime > time))

    private def walk(found: Seq[FileStatus]): Seq[FileStatus] = found.flatMap {
      case hidden if isHidden(hidden.getPath) => Nil
      case folder if folder.isDirectory => walk(system.listStatus(folder.getPath).toSeq)
      case file => Seq(file)
    }
  }
}
