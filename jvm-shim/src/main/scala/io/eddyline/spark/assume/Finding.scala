package io.eddyline.spark.assume

import org.apache.commons.codec.digest.DigestUtils.sha256Hex

/**
 * What decides which keys a check finds in a file.
 *
 * @param keys as columns and fields, by name
 * @param every as of [[KeyCheck]]
 * @param reader format, schema, options and settings
 */
private[assume] case class Question(keys: String, every: Int, reader: String) {
  lazy val digest: String = sha256Hex(s"$keys\u0000$every\u0000$reader")
}

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
