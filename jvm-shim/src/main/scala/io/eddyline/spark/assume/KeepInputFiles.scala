package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.assume.claim.AssumePartitionedBy

/**
 * Drops claims below input_file_name() and similar functions. These return the file that the task
 * reads, so their results would change if a shuffle is left out.
 */
object KeepInputFiles extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case claim: AssumePartitionedBy if claim.child.exists(readsFileName) => claim.dropped(REASON)
    case operator if readsFileName(operator) =>
      operator.transformUp { case claim: AssumePartitionedBy => claim.dropped(REASON) }
  }

  /** Whether an operator calls a function that returns the file of a row. */
  private def readsFileName(operator: LogicalPlan): Boolean =
    operator.expressions.exists(_.exists {
      case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
      case _ => false
    })

  private val REASON =
    "input_file_name() and similar functions depend on where rows are shuffled; " +
      "_metadata.file_path does not"
}
