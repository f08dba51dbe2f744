package io.eddyline.spark.globaltable.refresh

import org.apache.hadoop.fs.Path

import io.eddyline.spark.globaltable.version.{FileListing, FolderListing}

/** What a listing of a source's files says of them. */
private[refresh] sealed trait FileState

private[refresh] object FileState {

  /** The files may be read. */
  case object Readable extends FileState

  /** A job is writing them, or has begun to overwrite them. */
  case object Written extends FileState

  /** Files of the last version are missing, and may be about to be replaced. */
  case object Missing extends FileState
}

/**
 * What is known of the files of a source from earlier listings. It reads and writes nothing, so
 * that equal listings give equal decisions.
 *
 * An overwrite by Spark deletes folders, lets its query shuffle, writes to `_temporary`, moves the
 * files one by one, removes `_temporary` and writes `_SUCCESS`. Until there is a `_temporary`, only
 * the missing folders show that it has begun. A dynamic overwrite writes no `_SUCCESS`.
 *
 * @param published the files of the last version; None if this driver does not know them
 * @param missingSince since when files of it are missing in a folder without a newer `_SUCCESS`, in
 *                     ms since the epoch; None: none are
 * @param emptySince the folders that have lost all of its files and have no other, each with the
 *                   time of the first listing that found it so
 */
private[refresh] case class FileHistory(
    published: Option[FileListing] = None,
    missingSince: Option[Long] = None,
    emptySince: Map[Path, Long] = Map.empty) {
  import FileHistory._

  /** Returns the history after a listing that has found the files of the last version. */
  def confirm(listing: FileListing): FileHistory =
    // a folder that has lost its `_SUCCESS` alone is not forgotten to have had one
    if (changes(listing).exists(_.losesMarker)) this else FileHistory(Some(listing))

  /**
   * Returns what a listing says, and the history after it.
   *
   * @param at when the listing began, in ms since the epoch
   * @param markers how many folders of the last version had a `_SUCCESS`
   * @param wait for how long missing files may be about to be replaced, in ms
   * @param trustsMarkers whether an emptied folder counts if its source has a newer `_SUCCESS`
   */
  def next(
      listing: FileListing,
      at: Long,
      markers: Int,
      wait: Long,
      trustsMarkers: Boolean): (FileState, FileHistory) = {
    val found = changes(listing)
    val empty = found.filterNot(trustsMarkers && _.isCommitted).flatMap(_.emptied)
      .map(folder => folder -> emptySince.getOrElse(folder, at)).toMap
    val since = Option.when(found.exists(_.isMissing))(missingSince.getOrElse(at))
    val isMissing =
      since.exists(at - _ < wait) || empty.values.exists(at - _ < EMPTY_FOLDER_MS)
    val isWritten = listing.isWritten || found.exists(_.losesMarker) ||
      published.isEmpty && listing.successMarkers < markers
    val state =
      if (isWritten) FileState.Written
      else if (isMissing) FileState.Missing
      else FileState.Readable
    state -> copy(missingSince = since, emptySince = empty)
  }

  /**
   * Whether a later listing shows that a readable one had all files of the jobs that had written
   * them. Files that no Spark job has written may come meanwhile, unless others are missing.
   */
  def isConfirmed(first: FileListing, second: FileListing): Boolean =
    !second.isWritten && hasMarkersOf(first, second) && (first.files == second.files ||
      changes(first).forall(_.hasAll) && first.files.subsetOf(second.files) &&
      !(second.files -- first.files).exists(_.isOfSpark))

  private def changes(listing: FileListing): Seq[Change] = for {
    before <- published.toSeq
    (root, now) <- listing.folders.toSeq
  } yield new Change(before.folder(root), now)
}

private[refresh] object FileHistory {

  /**
   * The time in ms after which an empty folder was not emptied by an overwrite that goes on: for so
   * long the shuffles of an overwriting query may take.
   */
  val EMPTY_FOLDER_MS = 10000L

  private def hasMarkersOf(first: FileListing, second: FileListing): Boolean =
    first.folders.forall { case (root, folder) =>
      folder.committed.isEmpty || second.folder(root).committed.isDefined
    }

  /** What has become of a folder since the last version. */
  private class Change(before: FolderListing, now: FolderListing) {

    def hasAll: Boolean = before.files.subsetOf(now.files)

    /** Whether a job has committed since. */
    def isCommitted: Boolean = now.committed.exists(time => before.committed.forall(_ < time))

    def isMissing: Boolean = !hasAll && !isCommitted

    def losesMarker: Boolean = before.committed.isDefined && now.committed.isEmpty

    def emptied: Set[Path] = before.parents -- now.parents
  }
}
