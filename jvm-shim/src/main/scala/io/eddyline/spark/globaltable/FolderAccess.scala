package io.eddyline.spark.globaltable

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.fs.permission.{FsAction, FsPermission}

/** Who may read a copy: those who may read all that was copied. */
private[globaltable] object FolderAccess {

  /** Gives a folder the group of the sources, and no more rights than each of them gives. */
  def restrict(copy: Path, sources: Seq[Path], conf: Configuration): Unit = {
    val found = sources.distinct.map(path => path.getFileSystem(conf).getFileStatus(path))
    if (found.nonEmpty) {
      val modes = found.map(_.getPermission)
      val group = if (isOfGroup(copy, found, conf)) {
        modes.map(_.getGroupAction).reduce(_ and _)
      } else {
        FsAction.NONE
      }
      val others = modes.map(_.getOtherAction).reduce(_ and _)
      copy.getFileSystem(conf)
        .setPermission(copy, new FsPermission(FsAction.ALL, group, others))
    }
  }

  /** Whether the folder has the group that all sources have, or takes it. */
  private def isOfGroup(copy: Path, sources: Seq[FileStatus], conf: Configuration): Boolean = {
    val system = copy.getFileSystem(conf)
    sources.map(_.getGroup).distinct match {
      case Seq(group) if system.getFileStatus(copy).getGroup == group => true
      case Seq(group) =>
        try {
          system.setOwner(copy, null, group)
          true
        } catch { case _: IOException => false } // not a member of it
      case _ => false
    }
  }
}
