package io.eddyline.spark.rules

import scala.jdk.CollectionConverters._

import com.github.difflib.{DiffUtils, UnifiedDiffUtils}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.Redaction

/**
 * One change of a plan by one rule.
 *
 * @param before the plan, or the part that a strategy plans, as a tree
 * @param after the plan that the rule returned, as a tree
 */
private[rules] case class PlanStep(rule: InjectedRule, before: String, after: String) {

  /**
   * The unified difference of all lines. A line that only moved up or down in the tree counts as
   * the same. Spark brings the library.
   */
  def diff: String = {
    val Seq(old, changed) = Seq(before, after).map(_.linesIterator.toSeq.asJava)
    val patch = DiffUtils.diff(old, changed,
      (a: String, b: String) => PlanStep.operator(a) == PlanStep.operator(b))
    UnifiedDiffUtils.generateUnifiedDiff("before", "after", old, patch, old.size)
      .asScala.mkString("\n")
  }
}

private[rules] object PlanStep {

  /** The plan as EXPLAIN shows it, without secrets. */
  def tree(plan: QueryPlan[_]): String = {
    val conf = SQLConf.get
    val text = plan.treeString(verbose = false, maxFields = conf.maxToStringFields)
    Redaction.text(conf, text).stripTrailing
  }

  private def operator(line: String): String = line.dropWhile(" :+-".contains(_))
}
