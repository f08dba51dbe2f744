package io.eddyline.spark.placeholder

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A command that stores its statement, and so needs the text before variables are replaced. */
trait StatementText {

  /** The statement as typed. */
  def text: String

  /** Returns the command with another text, which is the whole statement. */
  def withText(text: String): LogicalPlan
}
