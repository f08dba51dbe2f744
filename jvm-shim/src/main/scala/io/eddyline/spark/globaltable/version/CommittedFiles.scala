package io.eddyline.spark.globaltable.version

import org.apache.hadoop.fs.Path

/**
 * The files of a source that are complete, judged by two probes of it: those of a job that has
 * committed since, and those that did not change between the probes. Newer files wait for the next
 * version, so that a source that is written all the time gets versions too.
 *
 * @param files the complete files among those of the first probe
 * @param areState whether these are a consistent state; false while an overwrite may be under way
 * @param areWritten whether a job seems to be overwriting the source
 */
private[globaltable] case class CommittedFiles(
    files: Set[SourceFile],
    areState: Boolean,
    areWritten: Boolean)

private[globaltable] object CommittedFiles {

  /**
   * What the judgement may rely on.
   *
   * @param later whether enough time is between the probes for a file being written to have grown
   * @param patient whether missing files have been missing for so long that a job which removed
   *                them would have written temporary or new files by now
   * @param emptied the first probe in which folders had lost all their files and were empty
   * @param always whether to ignore `_SUCCESS` and temporary files
   * @param kept whether there is a complete copy of a file, which may count although the file was
   *             removed between the probes
   */
  case class Trust(
      later: Boolean,
      patient: Boolean,
      emptied: Option[FileListing] = None,
      always: Boolean = false,
      kept: SourceFile => Boolean = _ => false)

  /**
   * Judges two probes, which may be one and the same.
   *
   * @param before the files of the version in use; None if this driver does not know them
   * @param successMarkers number of folders that had a `_SUCCESS` then
   */
  def of(
      first: FileListing,
      second: FileListing,
      before: Option[FileListing],
      successMarkers: Int,
      trust: Trust): CommittedFiles = {
    def in(listing: FileListing, root: Path) =
      listing.folders.getOrElse(root, FolderListing(Set.empty))
    val folders = first.folders.toSeq.map { case (root, folder) =>
      new Folder(
        folder, in(second, root), before.map(in(_, root)), trust.emptied.map(in(_, root)), trust)
    }
    val areMarkersLost = before.isEmpty && successMarkers > first.successMarkers && !trust.always
    CommittedFiles(
      folders.flatMap(_.complete).toSet,
      !areMarkersLost && folders.forall(_.isState),
      areMarkersLost || folders.exists(_.isWritten))
  }

  private class Folder(
      first: FolderListing,
      second: FolderListing,
      before: Option[FolderListing],
      emptied: Option[FolderListing],
      trust: Trust) {
    private val known = before.fold(Set.empty[SourceFile])(_.files)

    /**
     * Files removed between the probes of which copies remain. They do not count below `_SUCCESS`:
     * it says that a folder is complete, and an overwrite may have begun to remove files before it.
     */
    private val keptAlone =
      if (first.committed.isDefined && !trust.always) Set.empty[SourceFile]
      else (first.files -- second.files).filter(trust.kept)

    /** The files of the version in use, and new ones whose job has written all of its files. */
    val complete: Set[SourceFile] = first.files.filter(known) ++
      (first.files -- known).groupBy(_.job).values.filter(isComplete).flatten

    /** Whether these are a consistent state; if files are missing, once their removal has ended. */
    def isState: Boolean = areThere && (!isRemoving || trust.always ||
      !isWritten && complete == first.files && (isSuccessor || isStill))

    def isWritten: Boolean = isRemoving && !isSuccessor && !trust.always &&
      (first.writing || second.writing ||
        first.committed.isEmpty && before.exists(_.committed.isDefined))

    private def isRemoving: Boolean = before.forall(_.files.exists(!first.files(_)))

    /** Whether a folder below has lost all its files, as if an overwrite had just removed them. */
    private def isEmptied: Boolean = before.exists(_.isEmptiedIn(first))

    /** Whether a job has written all its files; until `_SUCCESS` it may still be moving some. */
    private def isComplete(job: Set[SourceFile]): Boolean = {
      val now = second.jobs.getOrElse(job.head.job, Set.empty[SourceFile])
      val isSettled = (now -- known) == (job -- keptAlone)
      val mayRun = first.committed.isDefined && first.writing && !trust.always
      isSettled && (first.covers(job) || trust.later && !mayRun)
    }

    /** Whether no file was removed between the probes, nor `_SUCCESS`, and no old one rewritten. */
    private def areThere: Boolean =
      (first.committed.isEmpty || second.committed.isDefined || trust.always) &&
        (first.files -- second.files -- keptAlone)
          .forall(file => second.paths(file.path) && !known(file))

    /**
     * Whether a job has committed since the version in use, and no other is writing. If a folder is
     * empty, that may be the next overwrite; so the job must have committed since it became empty.
     */
    private def isSuccessor: Boolean = !first.writing && first.committed.exists { time =>
      def isAfter(listing: FolderListing) = listing.committed.forall(_ < time)
      before.forall(isAfter) && first.covers(first.files) &&
      (!isEmptied || trust.patient || emptied.exists(isAfter))
    }

    /** Whether the missing files were deleted for good and not by an overwrite that goes on. */
    private def isStill: Boolean =
      trust.patient || trust.later && !isEmptied && first.committed.isEmpty &&
        first.files == second.files
  }
}
