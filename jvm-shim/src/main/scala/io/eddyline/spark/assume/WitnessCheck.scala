package io.eddyline.spark.assume

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning

/**
 * Whether each row lies in the partition of an RDD that its hash gives. It needs no memory, and a
 * task stops at the first row that does not.
 */
private[assume] class WitnessCheck(partitioning: HashPartitioning, input: Seq[Attribute])
  extends UnitCheck with Serializable {

  override def verdict(rows: RDD[InternalRow]): Verdict = {
    val found = rows.sparkContext.runJob(
      rows, (context: TaskContext, partition: Iterator[InternalRow]) =>
        misplaced(partition, context.partitionId()))
    found.flatten.headOption.getOrElse(Verdict.Holds(0))
  }

  private def misplaced(rows: Iterator[InternalRow], unit: Int): Option[Verdict.Misplaced] = {
    val numberOf = UnsafeProjection.create(Seq(partitioning.partitionIdExpression), input)
    rows.find(row => numberOf(row).getInt(0) != unit).map { row =>
      val text = new KeyText(partitioning.expressions, input)
      Verdict.Misplaced(text(row), unit, numberOf(row).getInt(0))
    }
  }
}
