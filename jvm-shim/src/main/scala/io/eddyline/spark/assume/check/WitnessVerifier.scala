package io.eddyline.spark.assume.check

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning

import io.eddyline.spark.assume.check.ClaimVerifier.Result
import io.eddyline.spark.assume.units.{KeyOrNull, UnitScanExec}
import io.eddyline.spark.assume.verdict.Verdict

/**
 * Checks whether each row lies in the unit that the hash of its keys gives. It keeps no keys in
 * memory, and a task stops at the first misplaced row.
 *
 * @param size the number of units
 */
private[assume] class WitnessVerifier(units: UnitScanExec, size: Int)
  extends ClaimVerifier(Seq(units)) {

  override protected def check(): Result = {
    val (keys, rows) = (units.keys, KeyHashScan.rows(sides.head))
    val (partitioning, input) = (HashPartitioning(keys, size), rows.output)
    val number = KeyOrNull.of(keys, partitioning.partitionIdExpression)
    val rdd = rows.execute()
    val tasks = rdd.sparkContext.runJob(rdd,
      (context: TaskContext, partition: Iterator[InternalRow]) => {
        val numberOf = UnsafeProjection.create(Seq(number), input)
        var read = 0L
        val misplaced = partition.find { row =>
          read += 1
          val expected = numberOf(row)
          !expected.isNullAt(0) && expected.getInt(0) != context.partitionId()
        }
        (read,
          misplaced.map { row =>
            val placeOf = UnsafeProjection.create(KeyLocation.fields(keys), input)
            placeOf.initialize(context.partitionId())
            val place = KeyLocation.of(placeOf(row), keys.size)
            (place, context.partitionId(), numberOf(row).getInt(0))
          })
      })
    val verdict = tasks.flatMap(_._2).headOption.fold[Verdict](Verdict.Holds) {
      case (place, unit, expected) => place.file(files)
          .fold[Verdict](Verdict.FilesChanged)(Verdict.Misplaced(place.key, _, unit, expected))
    }
    Result(verdict, Map.empty, files.size, tasks.map(_._1).sum)
  }
}
