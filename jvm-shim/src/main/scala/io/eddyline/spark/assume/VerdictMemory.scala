package io.eddyline.spark.assume

import scala.jdk.CollectionConverters._

/** What this driver knows of the last thousand questions. */
private[assume] object VerdictMemory {
  private val LIMIT = 1000

  private[assume] val questions =
    new java.util.LinkedHashMap[Question, Seq[Finding]](16, 0.75f, true) {
      override def removeEldestEntry(eldest: java.util.Map.Entry[Question, Seq[Finding]])
          : Boolean = size > LIMIT
    }

  /** Newest first. */
  def findings(question: Question): Seq[Finding] = synchronized {
    questions.getOrDefault(question, Nil)
  }

  /**
   * @param maxHashes how many hashes are kept of all questions; beyond it those of the question not
   *                  asked for longest are given up, and its files will be read again
   * @return what the finding replaces
   */
  def put(question: Question, finding: Finding, maxHashes: Long): Seq[Finding] = synchronized {
    val known = findings(question)
    if (known.exists(finding.isImpliedBy)) {
      Nil
    } else {
      val (replaced, others) = known.partition(_.isImpliedBy(finding))
      questions.put(question, (finding +: others).take(Finding.KEPT))
      giveUp(maxHashes)
      replaced
    }
  }

  private def giveUp(maxHashes: Long): Unit = {
    var excess = questions.values.asScala.flatten.map(_.numHashes).sum - maxHashes
    questions.entrySet.iterator.asScala.takeWhile(_ => excess > 0).foreach { eldest =>
      excess -= eldest.getValue.map(_.numHashes).sum
      eldest.setValue(eldest.getValue.map(_.copy(hashes = Map.empty)))
    }
  }
}
