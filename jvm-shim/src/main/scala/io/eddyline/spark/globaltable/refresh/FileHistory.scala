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
 * @param missingSince since when files of the last version are missing in a folder without a newer
 *                     `_SUCCESS`, in ms since the epoch; None: none are
 * @param emptySince the folders that had files in the last version and have none now, each with the
 *                   time of the first listing that found it empty, in ms since the epoch
 */
private[refresh] case class FileHistory(
    published: Option[FileListing] = None,
    missingSince: Option[Long] = None,
    emptySince: Map[Path, Long] = Map.empty) {
  import FileHistory._

  /** Returns the history after a listing that has found the files of the last version. */
  def confirm(listing: FileListing): FileHistory =
    // the files are the same but a `_SUCCESS` is gone: the next listing must know that it was there
    if (changes(listing).exists(_.losesMarker)) this else FileHistory(Some(listing))

  /**
   * Returns what a listing says, and the history after it.
   *
   * @param at when the listing began, in ms since the epoch
   * @param markers how many folders of the last version had a `_SUCCESS`
   * @param parents how many folders of the last version had files; 0: unknown
   * @param wait how long a job may leave files missing before it writes others, in ms
   * @param trustsMarkers whether a newer `_SUCCESS` says that folders were emptied on purpose; if
   *                      not, they are Missing for [[EMPTY_FOLDER_MS]] all the same
   */
  def next(
      listing: FileListing,
      at: Long,
      markers: Int,
      parents: Int,
      wait: Long,
      trustsMarkers: Boolean): (FileState, FileHistory) = {
    val found = changes(listing)
    // without the files of the last version, the number of its folders shows that one is empty
    val unknown = Option.when(published.isEmpty && listing.parents < parents)(UNKNOWN)
    val empty = (found.filterNot(trustsMarkers && _.isCommitted).flatMap(_.emptied) ++ unknown)
      .map(folder => folder -> emptySince.getOrElse(folder, at)).toMap
    val since = Option.when(found.exists(_.losesFiles))(missingSince.getOrElse(at))
    val isMissing = since.exists(at - _ < wait) || empty.values.exists(at - _ < EMPTY_FOLDER_MS)
    val isWritten = listing.isWritten || found.exists(_.losesMarker) ||
      published.isEmpty && listing.successMarkers < markers
    val state =
      if (isWritten) FileState.Written
      else if (isMissing) FileState.Missing
      else FileState.Readable
    state -> copy(missingSince = since, emptySince = empty)
  }

  /**
   * Whether a second listing shows that the first, a readable one, had all files of the jobs that
   * wrote them. The second may have more files that no Spark job wrote, unless files of the last
   * version are missing.
   */
  def isConfirmed(first: FileListing, second: FileListing): Boolean =
    !second.isWritten && first.folders.forall { case (root, folder) =>
      folder.successTime.isEmpty || second.folder(root).successTime.isDefined
    } && (first.files == second.files ||
      changes(first).forall(_.hasAll) && first.files.subsetOf(second.files) &&
      !(second.files -- first.files).exists(_.isOfSpark))

  private def changes(listing: FileListing): Seq[Change] = for {
    before <- published.toSeq
    (root, now) <- listing.folders.toSeq
  } yield new Change(before.folder(root), now)
}

private[refresh] object FileHistory {

  /**
   * How long an overwrite may leave a folder empty, in ms: the shuffles of its query may take that
   * long. A folder that stays empty for longer was emptied on purpose.
   */
  val EMPTY_FOLDER_MS = 10000L

  /** Stands for the folders of which only the number is known. */
  private val UNKNOWN = new Path("/")

  /** What has become of a folder since the last version. */
  private class Change(before: FolderListing, now: FolderListing) {

    def hasAll: Boolean = before.files.subsetOf(now.files)

    /** Whether a job has written a `_SUCCESS` since. */
    def isCommitted: Boolean = now.successTime.exists(time => before.successTime.forall(_ < time))

    def losesFiles: Boolean = !hasAll && !isCommitted

    def losesMarker: Boolean = before.successTime.isDefined && now.successTime.isEmpty

    /** The folders below that had files and have none now. */
    def emptied: Set[Path] = before.parents -- now.parents
  }
}
