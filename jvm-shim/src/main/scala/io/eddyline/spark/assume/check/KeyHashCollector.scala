package io.eddyline.spark.assume.check

/**
 * Collects the distinct key hashes of one unit.
 *
 * @param limit the maximum number of hashes to keep
 */
private[assume] class KeyHashCollector(limit: Int) {
  private var seen = new HashToUnitMap
  private var last = 0L
  private var isFirst = true
  private var ended = false

  /** Whether there were more hashes than `limit`, so that all were discarded. */
  def isFull: Boolean = seen == null

  def add(hash: Long): Unit = {
    if ((isFirst || hash != last) && !isFull) {
      seen.put(hash, 0)
      if (seen.size > limit) seen = null
    }
    last = hash
    isFirst = false
  }

  /** Records that the unit was read to its end. */
  def end(): Unit = ended = true

  def isEnded: Boolean = ended

  /** The hashes, in no order; None if there were too many. */
  def hashes: Option[Array[Long]] = Option(seen).map(_.keys)
}
