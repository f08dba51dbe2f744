package io.eddyline.spark.assume

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Gathers the keys of a claim above an aggregate, where each comes about once, for the
 * [[CheckUnitsExec]] below. It does nothing to a row.
 *
 * @param keys over the columns of the child
 */
case class GatherKeysExec(keys: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  @transient private[assume] lazy val check: CheckUnitsExec =
    child.collectFirst { case check: CheckUnitsExec if check.hoisted => check }
      .getOrElse(throw new IllegalStateException(s"no claim to check: ${child.nodeName}"))

  @transient private lazy val found: GatheredKeys = {
    val found = new GatheredKeys
    sparkContext.register(found)
    found
  }

  /** If the claim proves false, now that all tasks are done: its rows by way of a shuffle. */
  private[assume] def shuffled(): Option[SparkPlan] =
    Some(check.checked(found.value)).filter(_ ne check.child)

  override protected def doExecute(): RDD[InternalRow] =
    check.gathering.fold(child.execute()) { files =>
      val (hash, output, found, keyCheck) =
        (UnitKeys.hash(keys), child.output, this.found, files.keyCheck)
      child.execute().mapPartitionsWithIndex { (unit, rows) =>
        val hashOf = UnsafeProjection.create(Seq(hash), output)
        val gatherer = keyCheck.gatherer
        new Iterator[InternalRow] {
          private var ended = false

          override def hasNext: Boolean = {
            if (!ended && !rows.hasNext) {
              ended = true
              found.add(unit -> gatherer.hashes)
            }
            !ended
          }

          override def next(): InternalRow = {
            val row = rows.next()
            gatherer.add(hashOf(row).getLong(0))
            row
          }
        }
      }
    }

  override protected def withNewChildInternal(newChild: SparkPlan): GatherKeysExec =
    copy(child = newChild)
}
