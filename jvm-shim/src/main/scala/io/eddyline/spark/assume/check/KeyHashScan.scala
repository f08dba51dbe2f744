package io.eddyline.spark.assume.check

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.Partition
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._

import io.eddyline.spark.assume.units.{KeyOrNull, UnitScanExec}
import io.eddyline.spark.assume.verdict.Verdict

/**
 * The keys of all rows of a relation, a partition a unit. Of several relations a partition has the
 * units of one number.
 *
 * @param sides that read the keys alone, of the same types
 */
private[assume] class KeyHashScan(sides: Seq[UnitScanExec]) {

  /**
   * The hash of the keys of each row, equal for equal keys, under a collation too. It is NULL in a
   * row whose keys cannot be computed, which no query can group.
   */
  def hashes: RDD[InternalRow] = project(side => Seq(hash(side)))

  /** Turns the outcome of a hash comparison into a verdict, and looks the key and its files up. */
  def verdict(found: DuplicateKeyFinder.Result): Verdict = found.conflict match {
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
  private def find(hashed: Long, unit: Int): Option[KeyLocation] = {
    val rows = project(side => hash(side) +: KeyLocation.fields(side.keys))
    val count = sides.head.keys.size
    rows.sparkContext.runJob(
      rows,
      (partition: Iterator[InternalRow]) => partition
        .find(row => !row.isNullAt(0) && row.getLong(0) == hashed)
        .map(KeyLocation.of(_, count)),
      Seq(unit)).head
  }

  private def hash(side: UnitScanExec): NamedExpression = {
    val hash = KeyHashScan.hash(side.keys)
    Alias(KeyOrNull.of(side.keys, hash.child), hash.name)()
  }

  private def project(fields: UnitScanExec => Seq[NamedExpression]): RDD[InternalRow] = {
    val rows = sides.map { side =>
      CollapseCodegenStages()(ProjectExec(fields(side), KeyHashScan.rows(side))).execute()
    }
    if (rows.size == 1) {
      rows.head
    } else {
      val numbers = sides.flatMap(_.unitNumbers)
      rows.head.sparkContext.union(rows).coalesce(
        numbers.distinct.size, shuffle = false, Some(new KeyHashScan.ByNumber(numbers)))
    }
  }
}

private[assume] object KeyHashScan {

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
