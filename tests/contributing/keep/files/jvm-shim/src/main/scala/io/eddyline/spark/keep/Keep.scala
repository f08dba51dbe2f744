package io.eddyline.spark.keep

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** The clause KEEP over a query, of whose rows it keeps the first `count`. */
case class Keep(count: Int, child: LogicalPlan) extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override def simpleString(maxFields: Int): String = s"Keep FIRST $count"

  override protected def withNewChildInternal(newChild: LogicalPlan): Keep = copy(child = newChild)
}
