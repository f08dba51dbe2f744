package io.eddyline.spark.assume.verdict

import io.eddyline.spark.assume.claim.Claim
import io.eddyline.spark.assume.units.FileVersion

/** The outcome of a check of a claim about files. */
private[assume] sealed trait Verdict {

  /** The verdict as EXPLAIN shows it. */
  def text: String
}

private[assume] object Verdict {

  /** No key is in two units. */
  case object Holds extends Verdict {
    override def text: String = Claim.HOLDS
  }

  /** A key, given as text, is in two files of different units. */
  case class Violated(key: String, file1: FileVersion, file2: FileVersion) extends Verdict {
    override def text: String = s"false, $key is in two units"
  }

  /** A row with this key is in `unit`, but its hash gives the unit `expected`. */
  case class Misplaced(key: String, file: FileVersion, unit: Int, expected: Int) extends Verdict {
    override def text: String = s"false, $key is in unit $unit and its hash gives $expected"
  }

  /** Files have changed since they were listed, so that nothing is known about them. */
  case object FilesChanged extends Verdict {
    override def text: String = "not proven, the files have changed since they were listed"
  }

  /** The key hashes exceed `spark.driver.maxResultSize`. */
  case object ResultsTooLarge extends Verdict {
    override def text: String = "not proven, its keys exceed spark.driver.maxResultSize"
  }

  /** There are more keys than a task or the driver may hold in memory. */
  case class TooManyKeys(limit: Int) extends Verdict {
    override def text: String = s"not proven, more than $limit keys"
  }
}

/**
 * The result of one check: a verdict about a set of files.
 *
 * @param files the files that the check covered
 * @param hashes the key hashes of each file; empty if they were not collected or are not kept
 */
private[assume] case class CheckResult(
    files: Set[FileVersion], verdict: Verdict, hashes: Map[FileVersion, Array[Long]]) {

  /**
   * Returns the verdict about other files that follows from this one; None if none does. A claim
   * that is true of some files is true of fewer; one that is false is false of all files that
   * include the two which violate it.
   */
  def verdictOn(others: Set[FileVersion]): Option[Verdict] = verdict match {
    case Verdict.Holds if others.subsetOf(files) => Some(verdict)
    case Verdict.Violated(_, file1, file2) if others(file1) && others(file2) => Some(verdict)
    case Verdict.Misplaced(_, file, _, _) if others(file) => Some(verdict)
    case _ => None
  }

  /** Whether `other` already implies this result. */
  def isImpliedBy(other: CheckResult): Boolean =
    other.verdictOn(files).contains(verdict) && hashes.keySet.subsetOf(other.hashes.keySet)

  def numHashes: Long = hashes.valuesIterator.map(_.length.toLong).sum
}

private[assume] object CheckResult {

  /** How many results are kept for a fingerprint, at most. */
  val MAX_KEPT = 32
}
