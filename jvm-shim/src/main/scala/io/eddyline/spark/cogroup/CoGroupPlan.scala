package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.util.toPrettySQL

/**
 * What became of a COGROUP, for reports.
 *
 * @param branches the name and the keys of each branch, as text
 * @param keys the names of the keys in the result
 */
private[spark] class CoGroupPlan(
    val branches: Seq[(String, Seq[String])], val keys: Seq[String], val strategy: CoGroupStrategy)

/**
 * How the branches of a COGROUP are aggregated.
 *
 * @param name ONE_SHUFFLE or PREAGGREGATED
 * @param reason why it was chosen, as a sentence without a full stop
 * @param isFallback whether a faster strategy was not possible
 */
private[spark] case class CoGroupStrategy(name: String, reason: String, isFallback: Boolean = false)

private[spark] object CoGroupStrategy {

  /** Aggregates the rows of all branches together, after one shuffle. */
  def oneShuffle(reason: String, isFallback: Boolean = false): CoGroupStrategy =
    CoGroupStrategy("ONE_SHUFFLE", reason, isFallback)

  /** Aggregates each branch separately, and merges the results. */
  def preaggregated(reason: String): CoGroupStrategy = CoGroupStrategy("PREAGGREGATED", reason)
}

private[spark] object CoGroupPlan {
  private val TAG = TreeNodeTag[CoGroupPlan]("eddyline.cogroup.plan")

  /** Records a strategy as tags of several nodes, of which the optimizer may replace any. */
  private[cogroup] def record(
      plan: LogicalPlan, union: CoGroupUnion, strategy: CoGroupStrategy): LogicalPlan = {
    val branches = union.aliases.zip(union.child.children.map(keys(_, union)))
    val record = new CoGroupPlan(branches, union.names, strategy)
    plan.setTagValue(TAG, record)
    plan.expressions.foreach(_.foreach {
      case function: AggregateExpression => function.setTagValue(TAG, record)
      case _ =>
    })
    plan.collectFirst { case all: Union => all }.foreach(_.setTagValue(TAG, record))
    plan
  }

  /** Returns the COGROUPs to which a logical node belongs. */
  def of(node: LogicalPlan): Seq[CoGroupPlan] =
    node.getTagValue(TAG).toSeq ++ node.expressions.flatMap(_.collect {
      case function: AggregateExpression => function.getTagValue(TAG)
    }.flatten)

  private def keys(branch: LogicalPlan, union: CoGroupUnion): Seq[String] =
    branch.collectFirst { case project: Project => project }.toSeq
      .flatMap(_.projectList.slice(1, 1 + union.names.size)).map {
        case Alias(key, _) => toPrettySQL(key)
        case column => toPrettySQL(column)
      }
}
