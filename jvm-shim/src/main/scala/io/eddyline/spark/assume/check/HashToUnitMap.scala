package io.eddyline.spark.assume.check

/**
 * A map from the 64-bit hashes of keys to the unit in which each was first seen. It uses open
 * addressing over primitive arrays, 24 to 48 bytes a key.
 */
private[assume] class HashToUnitMap {
  private var hashes = new Array[Long](1024)
  private var units = Array.fill(1024)(HashToUnitMap.NONE)
  private var used = 0

  def size: Int = used

  /** Records the unit of a key; returns the unit in which it was first seen, NONE if it is new. */
  def put(hash: Long, unit: Int): Int = {
    val slot = find(hash)
    val before = units(slot)
    if (before == HashToUnitMap.NONE) {
      hashes(slot) = hash
      units(slot) = unit
      used += 1
      if (used * 2 > hashes.length) grow()
    }
    before
  }

  /** The hashes, in no order. */
  def keys: Array[Long] = {
    val all = new Array[Long](used)
    var next = 0
    hashes.indices.foreach { slot =>
      if (units(slot) != HashToUnitMap.NONE) {
        all(next) = hashes(slot)
        next += 1
      }
    }
    all
  }

  private def find(hash: Long): Int = {
    val mask = hashes.length - 1
    var slot = (hash ^ (hash >>> 32)).toInt & mask
    while (units(slot) != HashToUnitMap.NONE && hashes(slot) != hash) slot = (slot + 1) & mask
    slot
  }

  private def grow(): Unit = {
    val (oldHashes, oldUnits) = (hashes, units)
    hashes = new Array[Long](oldHashes.length * 2)
    units = Array.fill(oldHashes.length * 2)(HashToUnitMap.NONE)
    oldHashes.indices.foreach { old =>
      if (oldUnits(old) != HashToUnitMap.NONE) {
        val slot = find(oldHashes(old))
        hashes(slot) = oldHashes(old)
        units(slot) = oldUnits(old)
      }
    }
  }
}

private[assume] object HashToUnitMap {

  /** Stands for no unit. */
  val NONE: Int = -1
}

/** Collects the distinct key hashes of one unit. */
private[assume] class KeyHashCollector(limit: Int) {
  private var seen = new HashToUnitMap
  private var last = 0L
  private var isFirst = true
  private var ended = false

  /** Whether there were more hashes than `limit`; then all were discarded. */
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
