package io.eddyline.spark.assume.verdict

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path

/**
 * The check results that this driver remembers, for the 1000 fingerprints used last. They are kept
 * apart by verdict folder, since only the sessions that chose a folder trust who writes into it.
 *
 * @param folder the root of the verdict folder; None if the session has none
 */
private[assume] class VerdictMemory(folder: Option[Path]) {
  import VerdictMemory._

  /** The results for a fingerprint, newest first. */
  def results(fingerprint: ClaimFingerprint): Seq[CheckResult] = VerdictMemory.synchronized {
    fingerprints.getOrDefault(Asked(folder, fingerprint), Nil)
  }

  /**
   * Adds a result, unless a known one already implies it.
   *
   * @param maxHashes the total number of hashes to keep; beyond it the hashes of the fingerprints
   *                  used least recently are dropped, so their files will be read again
   * @return the known results that the new one implies, which it replaces
   */
  def put(fingerprint: ClaimFingerprint, result: CheckResult, maxHashes: Long): Seq[CheckResult] =
    VerdictMemory.synchronized {
      val known = results(fingerprint)
      if (known.exists(result.isImpliedBy)) {
        Nil
      } else {
        val (replaced, others) = known.partition(_.isImpliedBy(result))
        fingerprints.put(Asked(folder, fingerprint), kept(result +: others))
        abandon(maxHashes)
        replaced
      }
    }
}

private[assume] object VerdictMemory {
  private val LIMIT = 1000

  /** The number of files that the results for a fingerprint may name, beside the newest one. */
  private val MAX_FILES = 100000

  /**
   * The key of the map of results.
   *
   * @param folder the folder that shares its verdicts with this driver; None if there is none
   */
  private[assume] case class Asked(folder: Option[Path], fingerprint: ClaimFingerprint)

  private[assume] val fingerprints =
    new java.util.LinkedHashMap[Asked, Seq[CheckResult]](16, 0.75f, true) {
      override def removeEldestEntry(
          eldest: java.util.Map.Entry[Asked, Seq[CheckResult]]): Boolean = size > LIMIT
    }

  def of(folder: Option[VerdictFolder]): VerdictMemory = new VerdictMemory(folder.map(_.root))

  /** Returns the newest results. */
  private def kept(results: Seq[CheckResult]): Seq[CheckResult] = {
    val files = results.map(_.files.size.toLong).scanLeft(0L)(_ + _).tail
    results.take(files.count(_ <= MAX_FILES).max(1).min(CheckResult.MAX_KEPT))
  }

  private def abandon(maxHashes: Long): Unit = {
    var excess = fingerprints.values.asScala.flatten.map(_.numHashes).sum - maxHashes
    fingerprints.entrySet.iterator.asScala.takeWhile(_ => excess > 0).foreach { eldest =>
      excess -= eldest.getValue.map(_.numHashes).sum
      eldest.setValue(eldest.getValue.map(_.copy(hashes = Map.empty)))
    }
  }
}
