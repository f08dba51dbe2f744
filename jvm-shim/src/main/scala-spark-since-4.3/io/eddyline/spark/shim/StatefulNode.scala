package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.plans.logical.UnaryNode

/** A node that may be planned with a state, so that Spark lets the rows above it have NULLs. */
private[spark] trait StatefulNode extends UnaryNode {

  /** Whether the operator keeps its own state, besides that of an aggregation. */
  def keepsState: Boolean

  override def isStateful: Boolean = keepsState
}
