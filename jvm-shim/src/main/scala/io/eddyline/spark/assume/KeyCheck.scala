package io.eddyline.spark.assume

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/** What a check found. */
private[assume] sealed trait Verdict

private[assume] object Verdict {
  /** No key is in two units. */
  case class Holds(keys: Long) extends Verdict

  /** A key is in two units. */
  case class Violated(keys: Long, key: String, unit1: Int, unit2: Int) extends Verdict

  /** A row is not in the unit that its hash gives. */
  case class Misplaced(key: String, unit: Int, expected: Int) extends Verdict

  /** There are more keys than the driver may hold. */
  case class TooManyKeys(limit: Int) extends Verdict
}

/**
 * Whether equal keys lie in one partition of an RDD: each task gathers the hashes of its keys, the
 * driver compares them. A collision of hashes raises a false alarm (10 million keys: 3 in a
 * million), and hides nothing, since equal keys have equal hashes, under a collation too.
 *
 * @param every check the keys of one hash in so many, a power of two
 * @param limit of keys that a task or the driver may hold
 */
private[assume] class KeyCheck(
    keys: Seq[Expression], input: Seq[Attribute], every: Int, limit: Int)
  extends UnitCheck with Serializable {

  override def verdict(rows: RDD[InternalRow]): Verdict = {
    val seen = new KeyUnits
    var conflict: Option[(Long, Int, Int)] = None
    var tooMany = false
    rows.sparkContext.runJob(
      rows,
      (_: TaskContext, partition: Iterator[InternalRow]) => hashes(partition),
      rows.partitions.indices,
      (unit: Int, found: Option[Array[Long]]) => {
        tooMany ||= found.isEmpty || seen.size + found.get.length > limit
        if (!tooMany) {
          found.get.foreach { hash =>
            val before = seen.put(hash, unit)
            if (before != KeyUnits.NONE && conflict.isEmpty) conflict = Some((hash, before, unit))
          }
        }
      })
    conflict match {
      case Some((hash, unit1, unit2)) =>
        Verdict.Violated(seen.size, text(rows, hash, unit1), unit1 min unit2, unit1 max unit2)
      case None if tooMany => Verdict.TooManyKeys(limit)
      case None => Verdict.Holds(seen.size)
    }
  }

  /** The hashes of a task's keys; None if there are too many. */
  private def hashes(rows: Iterator[InternalRow]): Option[Array[Long]] = {
    val hashOf = UnsafeProjection.create(Seq(new CollationAwareXxHash64(keys)), input)
    val mask = every - 1L
    val seen = new KeyUnits
    var last = 0L
    var first = true
    while (rows.hasNext && seen.size <= limit) {
      val hash = hashOf(rows.next()).getLong(0)
      if ((first || hash != last) && (hash & mask) == 0) seen.put(hash, 0)
      last = hash
      first = false
    }
    if (seen.size > limit) None else Some(seen.keys)
  }

  /** The key of a hash, as a user writes it. */
  private def text(rows: RDD[InternalRow], hash: Long, unit: Int): String =
    rows.sparkContext.runJob(
      rows,
      (partition: Iterator[InternalRow]) => {
        val hashOf = UnsafeProjection.create(Seq(new CollationAwareXxHash64(keys)), input)
        partition.find(row => hashOf(row).getLong(0) == hash).map(new KeyText(keys, input))
      },
      Seq(unit)).head.getOrElse("?")
}
