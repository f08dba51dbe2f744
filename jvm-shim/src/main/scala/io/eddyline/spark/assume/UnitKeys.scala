package io.eddyline.spark.assume

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.Partition
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._

/**
 * The keys of all rows of a relation, a partition a unit. Of several relations a partition has the
 * units of one number.
 *
 * @param sides that read the keys alone, of the same types
 */
private[assume] class UnitKeys(sides: Seq[UnitScanExec]) {

  /**
   * The hash of the keys of each row, equal for equal keys, under a collation too. It is NULL in a
   * row whose keys cannot be computed, which no query can group.
   */
  def hashes: RDD[InternalRow] = project(side => Seq(hash(side)))

  /** What was found by the hashes, with the key and the files that tell it. */
  def verdict(found: KeyCheck.Result): Verdict = found.conflict match {
    case Some(conflict) =>
      val files = sides.flatMap(_.files)
      val found = for {
        first <- find(conflict.hash, conflict.unit1)
        second <- find(conflict.hash, conflict.unit2)
        file1 <- first.file(files)
        file2 <- second.file(files)
      } yield Verdict.Violated(first.key, file1, file2)
      found.getOrElse(Verdict.FilesChanged)
    case None => found.unproven.getOrElse(Verdict.Holds)
  }

  /** A key of that hash in a unit. */
  private def find(hashed: Long, unit: Int): Option[KeyPlace] = {
    val rows = project(side => hash(side) +: KeyPlace.fields(side.keys))
    val count = sides.head.keys.size
    rows.sparkContext.runJob(
      rows,
      (partition: Iterator[InternalRow]) => partition
        .find(row => !row.isNullAt(0) && row.getLong(0) == hashed)
        .map(KeyPlace.of(_, count)),
      Seq(unit)).head
  }

  private def hash(side: UnitScanExec): NamedExpression = {
    val hash = UnitKeys.hash(side.keys)
    Alias(KeyOrNull.of(side.keys, hash.child), hash.name)()
  }

  private def project(fields: UnitScanExec => Seq[NamedExpression]): RDD[InternalRow] = {
    val rows = sides.map { side =>
      CollapseCodegenStages()(ProjectExec(fields(side), UnitKeys.rows(side))).execute()
    }
    if (rows.size == 1) {
      rows.head
    } else {
      val numbers = sides.flatMap(_.unitNumbers)
      rows.head.sparkContext.union(rows).coalesce(
        numbers.distinct.size, shuffle = false, Some(new UnitKeys.ByNumber(numbers)))
    }
  }
}

private[assume] object UnitKeys {

  def rows(units: UnitScanExec): SparkPlan =
    if (units.supportsColumnar) ColumnarToRowExec(units) else units

  def hash(keys: Seq[Expression]): Alias =
    Alias(new CollationAwareXxHash64(keys), "hash")()

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
