package io.eddyline.spark.assume.verdict

import io.eddyline.spark.assume.units.FileVersion

/**
 * What a check found in some files.
 *
 * @param hashes of the keys of each file; of none if they were not gathered, or are no longer kept
 */
private[assume] case class CheckResult(
    files: Set[FileVersion], verdict: Verdict, hashes: Map[FileVersion, Array[Long]]) {

  /** The verdict on other files, where it follows. */
  def on(others: Set[FileVersion]): Option[Verdict] = verdict match {
    case Verdict.Holds if others.subsetOf(files) => Some(verdict)
    case Verdict.Violated(_, file1, file2) if others(file1) && others(file2) => Some(verdict)
    case Verdict.Misplaced(_, file, _, _) if others(file) => Some(verdict)
    case _ => None
  }

  /** Whether `other` already implies this result. */
  def isImpliedBy(other: CheckResult): Boolean =
    other.on(files).contains(verdict) && hashes.keySet.subsetOf(other.hashes.keySet)

  def numHashes: Long = hashes.valuesIterator.map(_.length.toLong).sum
}

private[assume] object CheckResult {
  /** How many results are kept for a claim's fingerprint. */
  val MAX_KEPT = 32
}
