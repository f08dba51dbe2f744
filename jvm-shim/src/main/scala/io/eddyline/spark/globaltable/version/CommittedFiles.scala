package io.eddyline.spark.globaltable.version

import org.apache.hadoop.fs.Path

/**
 * Which files of a source are complete, as far as two looks at it tell: those of a job that has
 * committed since, and those that nobody has touched between the looks. What is newer waits for the
 * next version, so that a source that is written all the time has versions too.
 *
 * @param files of the first look that are complete
 * @param areState whether they are all rows of one moment; not while an overwrite may be under way
 * @param areWritten whether a job seems to be overwriting
 */
private[globaltable] case class CommittedFiles(
    files: Set[SourceFile],
    areState: Boolean,
    areWritten: Boolean)

private[globaltable] object CommittedFiles {

  /**
   * What may count as complete.
   *
   * @param later whether a file that is being written has grown between the looks
   * @param patient whether files that are gone have been so for long enough that a job which has
   *                removed them would have its temporary files there, or new ones
   * @param always whether `_SUCCESS` and temporary files tell nothing
   */
  case class Trust(later: Boolean, patient: Boolean, always: Boolean = false)

  /**
   * What two looks tell, which may be the same one.
   *
   * @param before what the version in use was made of, if this driver knows
   * @param gates how many folders had a `_SUCCESS` then
   */
  def of(
      first: FileListing,
      second: FileListing,
      before: Option[FileListing],
      gates: Int,
      trust: Trust): CommittedFiles = {
    def in(listing: FileListing, root: Path) =
      listing.folders.getOrElse(root, FolderListing(Set.empty))
    val folders = first.folders.toSeq.map { case (root, folder) =>
      new Folder(folder, in(second, root), before.map(in(_, root)), trust)
    }
    val areGatesLost = before.isEmpty && gates > first.gates && !trust.always
    CommittedFiles(
      folders.flatMap(_.complete).toSet,
      !areGatesLost && folders.forall(_.isState),
      areGatesLost || folders.exists(_.isWritten))
  }

  private class Folder(
      first: FolderListing,
      second: FolderListing,
      before: Option[FolderListing],
      trust: Trust) {
    private val known = before.fold(Set.empty[SourceFile])(_.files)

    /** With all of what their jobs write here. */
    val complete: Set[SourceFile] = first.files.filter(known) ++
      (first.files -- known).groupBy(_.job).values.filter(isComplete).flatten

    /** An append is seen job by job; where files are gone, what comes in their place is awaited. */
    def isState: Boolean = areThere && (!isRemoving || trust.always ||
      !isWritten && complete == first.files && (isSuccessor || isStill))

    def isWritten: Boolean = isRemoving && !isSuccessor && !trust.always &&
      (first.writing || second.writing ||
        first.committed.isEmpty && before.exists(_.committed.isDefined))

    private def isRemoving: Boolean = before.forall(_.files.exists(!first.files(_)))

    /** A job that leaves `_SUCCESS` may have put some of its files here and still run. */
    private def isComplete(job: Set[SourceFile]): Boolean = {
      val isSettled = second.jobs.get(job.head.job).exists(now => (now -- known) == job)
      val mayRun = first.committed.isDefined && first.writing && !trust.always
      isSettled && (first.covers(job) || trust.later && !mayRun)
    }

    /** A file of the version in use that is gone or changed tells of another state. */
    private def areThere: Boolean = (first.files -- second.files)
      .forall(file => second.paths(file.path) && !known(file))

    /** Whether a job has committed since the version in use, and nothing happens after it. */
    private def isSuccessor: Boolean = !first.writing && first.committed.exists { time =>
      before.forall(_.committed.forall(_ < time)) && first.covers(first.files)
    }

    /** Whether what is gone is gone for good. */
    private def isStill: Boolean =
      trust.patient || trust.later && first.committed.isEmpty && first.files == second.files
  }
}
