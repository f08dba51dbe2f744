package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.eddyline.spark.assume.claim.AssumePartitionedBy

/**
 * Drops the claims on relations below input_file_name() and similar functions. These return the
 * file that the task is reading, so their result depends on where the rows are shuffled.
 */
object KeepInputFiles extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.exists(_.isInstanceOf[AssumePartitionedBy])) {
      plan.transformUp {
        case claim: AssumePartitionedBy if claim.child.exists(asksForFile) =>
          claim.dropped(REASON)
        case operator if asksForFile(operator) =>
          operator.transformUp {
            case claim: AssumePartitionedBy => claim.dropped(REASON)
          }
      }
    } else {
      plan
    }

  /** Whether an operator asks in which file a row is. */
  private def asksForFile(operator: LogicalPlan): Boolean =
    operator.expressions.exists(_.exists {
      case _: InputFileName | _: InputFileBlockStart | _: InputFileBlockLength => true
      case _ => false
    })

  private val REASON =
    "input_file_name() and similar functions depend on where rows are shuffled; " +
      "_metadata.file_path does not"
}
