package io.eddyline.spark.globaltable

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.fs.permission.{FsAction, FsPermission}

/** Who may read a copy: those who may read all that was copied. */
private[globaltable] object FolderAccess {

  /** Gives a folder the group of the sources, and takes away what one of them does not allow. */
  def restrict(copy: Path, sources: Seq[Path], conf: Configuration): Unit = {
    val found = sources.distinct.map(path => path.getFileSystem(conf).getFileStatus(path))
    if (found.nonEmpty) {
      val group =
        if (isOfGroup(copy, found, conf)) common(found, _.getGroupAction) else FsAction.NONE
      val others = common(found, _.getOtherAction)
      val system = copy.getFileSystem(conf)
      val now = system.getFileStatus(copy).getPermission
      if (!group.implies(now.getGroupAction) || !others.implies(now.getOtherAction)) {
        system.setPermission(copy, new FsPermission(
          FsAction.ALL, group and now.getGroupAction, others and now.getOtherAction))
      }
    }
  }

  /** What all sources allow. Who may read a file may enter the folder of its copy. */
  private def common(sources: Seq[FileStatus], of: FsPermission => FsAction): FsAction =
    sources.map { source =>
      val allowed = of(source.getPermission)
      if (source.isFile && allowed.implies(FsAction.READ)) allowed or FsAction.EXECUTE else allowed
    }.reduce(_ and _)

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
