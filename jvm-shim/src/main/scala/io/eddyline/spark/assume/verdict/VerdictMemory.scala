package io.eddyline.spark.assume.verdict

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path

/**
 * What this driver knows of the last thousand fingerprints that were asked with a folder, or with
 * none. Who writes into a folder is trusted only by the sessions that have chosen it.
 */
private[assume] class VerdictMemory(folder: Option[Path]) {
  import VerdictMemory._

  /** Newest first. */
  def results(fingerprint: ClaimFingerprint): Seq[CheckResult] = VerdictMemory.synchronized {
    fingerprints.getOrDefault(Asked(folder, fingerprint), Nil)
  }

  /**
   * @param maxHashes how many hashes are kept in all; beyond it those of the fingerprint that was
   *                  not asked for longest are given up, and its files will be read again
   * @return what the result replaces
   */
  def put(fingerprint: ClaimFingerprint, result: CheckResult, maxHashes: Long): Seq[CheckResult] =
    VerdictMemory.synchronized {
      val known = results(fingerprint)
      if (known.exists(result.isImpliedBy)) {
        Nil
      } else {
        val (replaced, others) = known.partition(_.isImpliedBy(result))
        fingerprints.put(Asked(folder, fingerprint), (result +: others).take(CheckResult.MAX_KEPT))
        giveUp(maxHashes)
        replaced
      }
    }
}

private[assume] object VerdictMemory {
  private val LIMIT = 1000

  /** @param folder where its verdicts come from, other than from this driver */
  private[assume] case class Asked(folder: Option[Path], fingerprint: ClaimFingerprint)

  private[assume] val fingerprints =
    new java.util.LinkedHashMap[Asked, Seq[CheckResult]](16, 0.75f, true) {
      override def removeEldestEntry(
          eldest: java.util.Map.Entry[Asked, Seq[CheckResult]]): Boolean = size > LIMIT
    }

  def of(folder: Option[VerdictFolder]): VerdictMemory = new VerdictMemory(folder.map(_.root))

  private def giveUp(maxHashes: Long): Unit = {
    var excess = fingerprints.values.asScala.flatten.map(_.numHashes).sum - maxHashes
    fingerprints.entrySet.iterator.asScala.takeWhile(_ => excess > 0).foreach { eldest =>
      excess -= eldest.getValue.map(_.numHashes).sum
      eldest.setValue(eldest.getValue.map(_.copy(hashes = Map.empty)))
    }
  }
}
