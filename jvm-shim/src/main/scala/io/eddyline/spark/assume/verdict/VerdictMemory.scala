package io.eddyline.spark.assume.verdict

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path

/**
 * The check results that this driver remembers, for the 1000 fingerprints that were used last.
 * The results of each verdict folder are kept apart, since a session trusts only those who may
 * write into its own folder.
 *
 * @param folder the root of the verdict folder; None if the session has none
 */
private[assume] class VerdictMemory(folder: Option[Path]) {
  import VerdictMemory._

  /** Returns the results for a fingerprint, the newest first. */
  def results(fingerprint: ClaimFingerprint): Seq[CheckResult] = VerdictMemory.synchronized {
    resultsByKey.getOrDefault(MemoryKey(folder, fingerprint), Nil)
  }

  /**
   * Adds a result, unless a known one already implies it.
   *
   * @param maxHashes how many hashes are kept in total. Beyond that number the hashes of the least
   *                  recently used fingerprints are dropped; a check then reads their files again
   * @return the known results that the new one implies and replaces
   */
  def put(fingerprint: ClaimFingerprint, result: CheckResult, maxHashes: Long): Seq[CheckResult] =
    VerdictMemory.synchronized {
      val known = results(fingerprint)
      if (known.exists(result.isImpliedBy)) {
        Nil
      } else {
        val (replaced, others) = known.partition(_.isImpliedBy(result))
        resultsByKey.put(MemoryKey(folder, fingerprint), newest(result +: others))
        dropHashes(maxHashes)
        replaced
      }
    }
}

private[assume] object VerdictMemory {
  private val MAX_FINGERPRINTS = 1000

  /** How many files the results of a fingerprint may name; the newest result is always kept. */
  private val MAX_FILES = 100000

  private[assume] case class MemoryKey(folder: Option[Path], fingerprint: ClaimFingerprint)

  /** In the order of use (`accessOrder = true`), the least recently used first. */
  private[assume] val resultsByKey =
    new java.util.LinkedHashMap[MemoryKey, Seq[CheckResult]](16, 0.75f, true) {
      override def removeEldestEntry(
          eldest: java.util.Map.Entry[MemoryKey, Seq[CheckResult]]): Boolean =
        size > MAX_FINGERPRINTS
    }

  /** Returns as many of the newest results as are kept for a fingerprint. */
  private def newest(results: Seq[CheckResult]): Seq[CheckResult] = {
    val totals = results.map(_.files.size.toLong).scanLeft(0L)(_ + _).tail
    results.take(totals.count(_ <= MAX_FILES).max(1).min(CheckResult.MAX_KEPT))
  }

  /** Drops the hashes of the least recently used fingerprints beyond a total number of hashes. */
  private def dropHashes(maxHashes: Long): Unit = {
    var excess = resultsByKey.values.asScala.flatten.map(_.numHashes).sum - maxHashes
    resultsByKey.entrySet.iterator.asScala.takeWhile(_ => excess > 0).foreach { eldest =>
      excess -= eldest.getValue.map(_.numHashes).sum
      eldest.setValue(eldest.getValue.map(_.copy(hashes = Map.empty)))
    }
  }
}
