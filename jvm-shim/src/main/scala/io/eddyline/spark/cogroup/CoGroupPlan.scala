package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.util.toPrettySQL

/**
 * What became of a COGROUP, for reports.
 *
 * @param branches each branch's name and keys, as text
 * @param keys the names of the keys in the result
 * @param strategy how the branches are aggregated
 */
private[spark] class CoGroupPlan(
    val branches: Seq[(String, Seq[String])],
    val keys: Seq[String],
    val strategy: CoGroupStrategy)

/**
 * How the branches of a COGROUP are aggregated.
 *
 * @param reason why it was chosen, as a sentence without a full stop
 * @param isFallback whether a faster strategy was given up
 */
private[spark] case class CoGroupStrategy(
    name: String, reason: String, isFallback: Boolean = false)

private[spark] object CoGroupStrategy {

  /** The rows of all branches are aggregated together, after one shuffle. */
  def oneShuffle(reason: String): CoGroupStrategy = CoGroupStrategy("ONE_SHUFFLE", reason)

  /** Each branch would have been aggregated by itself, but the results cannot be merged exactly. */
  def notMergeable(reason: String): CoGroupStrategy =
    CoGroupStrategy("ONE_SHUFFLE", reason, isFallback = true)

  /** Each branch is aggregated by itself, and the results are merged. */
  def preaggregated(reason: String): CoGroupStrategy = CoGroupStrategy("PREAGGREGATED", reason)
}

private[spark] object CoGroupPlan {
  private val TAG = TreeNodeTag[CoGroupPlan]("eddyline.cogroup.plan")

  /**
   * Records a strategy in a rewritten plan. Several nodes and expressions carry it, because the
   * optimizer may replace any one of them.
   */
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

  /** The COGROUPs that a logical node belongs to. */
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
