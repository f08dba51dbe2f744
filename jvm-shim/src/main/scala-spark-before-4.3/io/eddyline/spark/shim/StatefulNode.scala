package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.UnaryNode

/** A node that may be planned with a state. */
private[spark] trait StatefulNode extends UnaryNode {

  /** Whether the operator keeps its own state, besides that of an aggregation. */
  def keepsState: Boolean
}
