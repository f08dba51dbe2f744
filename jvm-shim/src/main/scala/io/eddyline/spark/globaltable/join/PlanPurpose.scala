package io.eddyline.spark.globaltable.join

import scala.jdk.OptionConverters._

import org.apache.spark.sql.execution.{CacheManager, QueryExecution, SQLExecution}

/**
 * What Spark makes a plan for: whoever only shows plans marks the thread; `Dataset.explain` and
 * `unpersist` are methods of Spark that leave no mark, so only the call stack tells of these two.
 *
 * Versions cannot be chosen later instead, when a plan runs. Spark finds the entries of CACHE TABLE
 * by comparing plans after normalization, so the version is part of a plan by then; and a scan of a
 * version is planned with its files.
 */
object PlanPurpose {

  /** Whether this thread only shows plans. Threads that it starts do not inherit it. */
  private val showing = ThreadLocal.withInitial[Boolean](() => false)

  /** Runs `body`, whose plans no query runs. */
  def onlyShown[T](body: => T): T = {
    val before = showing.get
    showing.set(true)
    try body
    finally showing.set(before)
  }

  /** Whether no query runs this plan: EXPLAIN shows it, or an UNCACHE looks for it in the cache. */
  private[join] def isNeverRun: Boolean =
    showing.get || callerOf(classOf[CacheManager], "uncache").isDefined

  /**
   * Whether `Dataset.explain` shows this plan, which may run later. Spark also explains each query
   * that it runs, for the UI; then the caller is SQLExecution.
   */
  private[join] def isExplained: Boolean =
    callerOf(classOf[QueryExecution], "explainString")
      .exists(!_.startsWith(SQLExecution.getClass.getName))

  /** The class that called methods of Spark with a name; None if this thread is in none of them. */
  private def callerOf(spark: Class[_], method: String): Option[String] =
    StackWalker.getInstance.walk { frames =>
      frames
        .dropWhile(frame =>
          !frame.getMethodName.startsWith(method) || frame.getClassName != spark.getName)
        .dropWhile(_.getClassName.startsWith(spark.getName))
        .findFirst().toScala.map(_.getClassName)
    }
}
