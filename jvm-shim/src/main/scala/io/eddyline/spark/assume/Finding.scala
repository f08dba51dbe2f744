package io.eddyline.spark.assume

/**
 * What a check found in some files.
 *
 * @param hashes of the keys of each file; of none if they were not gathered, or are no longer kept
 */
private[assume] case class Finding(
    files: Set[FileVersion], verdict: Verdict, hashes: Map[FileVersion, Array[Long]]) {

  /** The verdict on other files, where it follows. */
  def on(others: Set[FileVersion]): Option[Verdict] = verdict match {
    case Verdict.Holds if others.subsetOf(files) => Some(verdict)
    case Verdict.Violated(_, file1, file2) if others(file1) && others(file2) => Some(verdict)
    case Verdict.Misplaced(_, file, _, _) if others(file) => Some(verdict)
    case _ => None
  }

  /** Whether all that it tells follows from another. */
  def isImpliedBy(other: Finding): Boolean =
    other.on(files).contains(verdict) && hashes.keySet.subsetOf(other.hashes.keySet)

  def numHashes: Long = hashes.valuesIterator.map(_.length.toLong).sum
}

private[assume] object Finding {
  /** How many of a question are kept. */
  val KEPT = 32
}
