package io.eddyline.spark.assume

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path

/**
 * What this driver knows of the last thousand questions that were asked with a folder, or with
 * none. Who writes into a folder is trusted only by the sessions that have chosen it.
 */
private[assume] class VerdictMemory(folder: Option[Path]) {
  import VerdictMemory._

  /** Newest first. */
  def findings(question: Question): Seq[Finding] = VerdictMemory.synchronized {
    questions.getOrDefault(Asked(folder, question), Nil)
  }

  /**
   * @param maxHashes how many hashes are kept of all questions; beyond it those of the question not
   *                  asked for longest are given up, and its files will be read again
   * @return what the finding replaces
   */
  def put(question: Question, finding: Finding, maxHashes: Long): Seq[Finding] =
    VerdictMemory.synchronized {
      val known = findings(question)
      if (known.exists(finding.isImpliedBy)) {
        Nil
      } else {
        val (replaced, others) = known.partition(_.isImpliedBy(finding))
        questions.put(Asked(folder, question), (finding +: others).take(Finding.KEPT))
        giveUp(maxHashes)
        replaced
      }
    }
}

private[assume] object VerdictMemory {
  private val LIMIT = 1000

  /** @param folder where its verdicts come from, other than from this driver */
  private[assume] case class Asked(folder: Option[Path], question: Question)

  private[assume] val questions =
    new java.util.LinkedHashMap[Asked, Seq[Finding]](16, 0.75f, true) {
      override def removeEldestEntry(
          eldest: java.util.Map.Entry[Asked, Seq[Finding]]): Boolean = size > LIMIT
    }

  def of(folder: Option[VerdictFolder]): VerdictMemory = new VerdictMemory(folder.map(_.root))

  private def giveUp(maxHashes: Long): Unit = {
    var excess = questions.values.asScala.flatten.map(_.numHashes).sum - maxHashes
    questions.entrySet.iterator.asScala.takeWhile(_ => excess > 0).foreach { eldest =>
      excess -= eldest.getValue.map(_.numHashes).sum
      eldest.setValue(eldest.getValue.map(_.copy(hashes = Map.empty)))
    }
  }
}
