package io.eddyline.spark.rules

import java.lang.ref.WeakReference
import java.util.WeakHashMap

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.QueryPlanningTracker.RuleSummary
import org.apache.spark.sql.catalyst.analysis.LeafNodeWithoutStats
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.EddylineConf

/**
 * What the rules did in the last query of a session. Spark itself counts and measures the rules of
 * the analyzer, the normalization and the optimizer, in the `QueryPlanningTracker` of each query;
 * this adds what Spark does not measure, the checks, strategies and rules over physical plans, to
 * the same tracker.
 *
 * Spark says which tracker belongs to a check and to a rule of the optimizer. The planner comes
 * after the optimizer, so what it does is counted for the query that the session optimized last.
 * A session that plans several queries at once may count that for another one of them.
 */
private[rules] class RuleLog {
  import RuleLog.Planned

  @volatile private var last: Option[Planned] = None
  @volatile private var current: Option[Planned] = None
  @volatile private var steps: Option[mutable.Buffer[PlanStep]] = None

  /** Records the query for which the optimizer is called. */
  def optimizing(plan: LogicalPlan): Unit = QueryPlanningTracker.get.foreach { tracker =>
    if (!current.exists(_.tracker eq tracker)) {
      current = Option.when(RuleLog.isQuery(plan)) {
        Planned(tracker, SQLConf.get.getConf(EddylineConf.EXCLUDED_RULES).toSet)
      }
      last = current.orElse(last)
    }
  }

  /** Measures a rule in the planner. */
  def measured[T](rule: InjectedRule, hasChanged: T => Boolean)(body: => T): T =
    measured(current.map(_.tracker), rule, hasChanged)(body)

  /** Measures a check, of which Spark gives the tracker. */
  def measuredCheck(rule: InjectedRule)(body: => Unit): Unit =
    measured(QueryPlanningTracker.get, rule, (_: Unit) => false)(body)

  private def measured[T](
      tracker: Option[QueryPlanningTracker], rule: InjectedRule, hasChanged: T => Boolean)(
      body: => T): T = {
    val start = System.nanoTime
    val result = body
    val time = System.nanoTime - start
    tracker.foreach(_.recordRuleInvocation(rule.trackedName, time, hasChanged(result)))
    result
  }

  /** What a rule did in the last query; None if it was not applied. */
  def summary(rule: InjectedRule): Option[RuleSummary] =
    last.filterNot(_.excluded(rule.name)).flatMap(_.tracker.rules.get(rule.trackedName))

  /** Notes a change of a plan, if the changes are traced. */
  def changed(rule: InjectedRule, before: QueryPlan[_], after: => QueryPlan[_]): Unit =
    steps.foreach(_ += PlanStep(rule, PlanStep.tree(before), PlanStep.tree(after)))

  def isTraced: Boolean = steps.isDefined

  /** Returns the changes that the rules make to plans of this session while `planning` runs. */
  def trace(planning: => Unit): Seq[PlanStep] = {
    val found = mutable.Buffer.empty[PlanStep]
    steps = Some(found)
    try planning
    finally steps = None
    found.toSeq
  }
}

private[rules] object RuleLog {

  /**
   * A query that was optimized.
   *
   * @param excluded names of the rules that were excluded
   */
  private case class Planned(tracker: QueryPlanningTracker, excluded: Set[String])

  /** The rules of a session keep its log: a tracker of Spark Connect refers to its session. */
  private val logs = new WeakHashMap[SparkSession, WeakReference[RuleLog]]

  def of(session: SparkSession): RuleLog = logs.synchronized {
    Option(logs.get(session)).flatMap(log => Option(log.get)).getOrElse {
      val log = new RuleLog
      logs.put(session, new WeakReference(log))
      log
    }
  }

  /**
   * Whether a plan is a query: no command without one, nor the rows of a command or of the client.
   */
  def isQuery(plan: LogicalPlan): Boolean = plan match {
    case _: CommandResult | _: LocalRelation => false
    case command: Command =>
      command.children.exists(!_.isInstanceOf[LeafNodeWithoutStats]) // SHOW and DROP have names
    case _: Project | _: SubqueryAlias | _: GlobalLimit | _: LocalLimit | _: ReturnAnswer =>
      isQuery(plan.children.head)
    case _ => true
  }
}
