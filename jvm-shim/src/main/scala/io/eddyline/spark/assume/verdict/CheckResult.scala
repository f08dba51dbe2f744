package io.eddyline.spark.assume.verdict

import io.eddyline.spark.assume.units.FileVersion

/**
 * The result of one check: a verdict about a set of files.
 *
 * @param files the files that the check covered
 * @param hashes the key hashes of each file; empty if they were not collected or no longer kept
 */
private[assume] case class CheckResult(
    files: Set[FileVersion], verdict: Verdict, hashes: Map[FileVersion, Array[Long]]) {

  /**
   * The verdict on other files that follows from this one; None if nothing follows. A true claim
   * stays true of fewer files, a false one stays false where the offending files are included.
   */
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

  /** Maximum number of results kept per claim fingerprint. */
  val MAX_KEPT = 32
}
