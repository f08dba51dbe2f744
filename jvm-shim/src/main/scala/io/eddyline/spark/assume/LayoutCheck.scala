package io.eddyline.spark.assume

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.Partition
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/**
 * Whether equal keys lie in units of one number, in several relations: by a [[KeyCheck]] of an RDD
 * whose partitions hold the keys of all units of a number.
 *
 * @param sides with keys of the same types
 */
private[assume] class LayoutCheck(sides: Seq[UnitScanExec], every: Int, limit: Int) {

  /** Its units are numbers and no indexes. */
  def verdict: Verdict = question.filter(_ => unchanged).flatMap(Verdicts.get).getOrElse {
    val found = checked()
    if (!found.isInstanceOf[Verdict.TooManyKeys] && unchanged) {
      question.foreach(Verdicts.put(_, found))
    }
    found
  }

  private def checked(): Verdict = {
    val numbers = sides.flatMap(_.unitNumbers)
    val distinct = numbers.distinct.sorted
    val key = sides.head.keys.zipWithIndex.map { case (key, i) =>
      AttributeReference(s"key_$i", key.dataType)()
    }
    val rows = sides.head.session.sparkContext.union(sides.map(LayoutCheck.keysOf))
      .coalesce(distinct.size, shuffle = false, Some(new LayoutCheck.ByNumber(numbers)))
    new KeyCheck(key, key, every, limit).verdict(rows) match {
      case Verdict.Violated(keys, text, unit1, unit2) =>
        Verdict.Violated(keys, text, distinct(unit1), distinct(unit2))
      case other => other
    }
  }

  /** About all sides, in any order. */
  private def question: Option[Verdicts.Question] = {
    val questions = sides.flatMap(_.question(every)).sortBy(_.toString)
    if (questions.size < sides.size) {
      None
    } else {
      Some(Verdicts.Question(
        questions.map(_.keys).mkString(" and "),
        every,
        questions.map(_.reader).mkString(" and "),
        questions.flatMap(_.files)))
    }
  }

  private def unchanged: Boolean = sides.forall(_.isUnchanged)
}

private object LayoutCheck {

  private def keysOf(side: UnitScanExec): RDD[InternalRow] = {
    val units = side.ofKeys
    val (keys, input) = (side.keys, units.output)
    CheckUnitsExec.rows(units).execute().mapPartitions { rows =>
      rows.map(UnsafeProjection.create(keys, input))
    }
  }

  /** Puts the partitions of a number together, in the order of the numbers. */
  private class ByNumber(numbers: Seq[Int]) extends PartitionCoalescer with Serializable {
    override def coalesce(most: Int, parent: RDD[_]): Array[PartitionGroup] = {
      val byNumber = parent.partitions.toSeq.zip(numbers).groupMap(_._2)(_._1)
      byNumber.toArray.sortBy(_._1).map { case (_, partitions) => group(partitions) }
    }

    private def group(partitions: Seq[Partition]): PartitionGroup = {
      val group = new PartitionGroup()
      group.partitions ++= ArrayBuffer.from(partitions)
      group
    }
  }
}
