package io.eddyline.spark.assume.check

/**
 * Gathers the hashes of the keys of one unit.
 *
 * @param sampleStride as of [[DuplicateKeyFinder]]
 * @param limit of keys
 */
private[assume] class KeyHashCollector(sampleStride: Int, limit: Int) {
  private val mask = sampleStride - 1L
  private var seen = new HashToUnitMap
  private var last = 0L
  private var isFirst = true
  private var ended = false

  /** Whether there were too many. */
  def isFull: Boolean = seen == null

  def add(hash: Long): Unit = {
    if ((isFirst || hash != last) && (hash & mask) == 0 && !isFull) {
      seen.put(hash, 0)
      if (seen.size > limit) seen = null
    }
    last = hash
    isFirst = false
  }

  /** There are no more rows. */
  def end(): Unit = ended = true

  def isEnded: Boolean = ended

  /** None if there were too many. */
  def hashes: Option[Array[Long]] = Option(seen).map(_.keys)
}
