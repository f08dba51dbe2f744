package io.eddyline.spark.globaltable.join

import scala.jdk.OptionConverters._

import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.command._

/**
 * Tells whether a plan is only explained. EXPLAIN marks its thread; `Dataset.explain` and
 * `unpersist` are methods of Spark that leave no mark, so the call stack is searched for them.
 *
 * Versions cannot be chosen later instead, when a plan runs. Spark finds the entries of CACHE TABLE
 * by comparing plans after normalization, so the version is part of a plan by then; and a scan of a
 * version is planned with its files.
 */
object PlanPurpose {

  /** Whether this thread only explains plans. Threads that it starts do not inherit it. */
  private val isExplaining = ThreadLocal.withInitial[Boolean](() => false)

  /** Runs `body`, which makes plans that are never run. */
  def explaining[T](body: => T): T = {
    val before = isExplaining.get
    isExplaining.set(true)
    try body
    finally isExplaining.set(before)
  }

  /** Whether no query runs this plan: EXPLAIN shows it, or an UNCACHE looks for it in the cache. */
  private[join] def isNeverRun: Boolean =
    isExplaining.get || callerOf(classOf[CacheManager], "uncache").isDefined

  /**
   * Whether `Dataset.explain` shows this plan, which may run later. Spark also explains each query
   * that it runs, for the UI; then the caller is SQLExecution.
   */
  private[join] def isDatasetExplain: Boolean =
    callerOf(classOf[QueryExecution], "explainString")
      .exists(!_.startsWith(SQLExecution.getClass.getName))

  /** The class that called a method of `owner` whose name begins with `prefix`; None: no call. */
  private def callerOf(owner: Class[_], prefix: String): Option[String] =
    StackWalker.getInstance.walk { frames =>
      frames
        .dropWhile(frame =>
          !frame.getMethodName.startsWith(prefix) || frame.getClassName != owner.getName)
        .dropWhile(_.getClassName.startsWith(owner.getName))
        .findFirst().toScala.map(_.getClassName)
    }
}

/**
 * Plans EXPLAIN so that the plan which it shows is known to be never run. The logical plan stays
 * Spark's own command, which other extensions look for.
 */
object PlanExplain extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case explain: ExplainCommand => Seq(ExecutedCommandExec(OnlyShown(explain)))
    case _ => Nil
  }

  private case class OnlyShown(explain: ExplainCommand) extends LeafRunnableCommand {
    override def output: Seq[Attribute] = explain.output

    override def nodeName: String = explain.nodeName

    override def run(session: sql.SparkSession): Seq[Row] =
      PlanPurpose.explaining(explain.run(session))
  }
}
