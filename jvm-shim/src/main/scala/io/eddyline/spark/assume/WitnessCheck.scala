package io.eddyline.spark.assume

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning

import io.eddyline.spark.assume.UnitCheck.Checked

/**
 * Whether each row lies in the unit that the hash of its keys gives. It needs no memory, and a task
 * stops at the first row that does not.
 *
 * @param size how many units there are
 */
private[assume] class WitnessCheck(units: UnitScanExec, size: Int, every: Int)
  extends UnitCheck(Seq(units), every) {

  override protected def check(): Checked = {
    val (keys, rows) = (units.keys, UnitKeys.rows(sides.head))
    val (partitioning, input) = (HashPartitioning(keys, size), rows.output)
    val number = KeyOrNull.of(keys, partitioning.partitionIdExpression)
    val rdd = rows.execute()
    val found = rdd.sparkContext.runJob(rdd,
      (context: TaskContext, partition: Iterator[InternalRow]) => {
        val numberOf = UnsafeProjection.create(Seq(number), input)
        var rows = 0L
        val misplaced = partition.find { row =>
          rows += 1
          val found = numberOf(row)
          !found.isNullAt(0) && found.getInt(0) != context.partitionId()
        }
        (rows, misplaced.map { row =>
          val placeOf = UnsafeProjection.create(KeyPlace.fields(keys), input)
          placeOf.initialize(context.partitionId())
          val place = KeyPlace.of(placeOf(row), keys.size)
          (place, context.partitionId(), numberOf(row).getInt(0))
        })
      })
    val verdict = found.flatMap(_._2).headOption.fold[Verdict](Verdict.Holds) {
      case (place, unit, expected) => place.file(files)
        .fold[Verdict](Verdict.FilesChanged)(Verdict.Misplaced(place.key, _, unit, expected))
    }
    Checked(verdict, Map.empty, files.size, found.map(_._1).sum)
  }
}
