package io.eddyline.spark.globaltable.join

import org.apache.spark.sql.execution.{CacheManager, QueryExecution, SQLExecution}

/**
 * What Spark makes a plan for: Spark gives a rule the plan and nothing else.
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

  /** Whether no query runs this plan: EXPLAIN shows it, or a DROP looks for it in the cache. */
  private[join] def isNeverRun: Boolean = showing.get || isComparedInCache

  /** Only the call stack shows that a plan is compared with those of the cache. */
  private def isComparedInCache: Boolean = StackWalker.getInstance.walk(_.anyMatch { frame =>
    frame.getMethodName.startsWith("uncache") && frame.getClassName == CACHE
  })

  /**
   * Whether `DataFrame.explain` shows this plan, which may run later. Only the call stack shows it.
   * Spark also explains each query that it runs, for the UI; then the caller is SQLExecution.
   */
  private[join] def isExplained: Boolean = StackWalker.getInstance.walk { frames =>
    frames
      .dropWhile(!_.getMethodName.startsWith("explainString"))
      .dropWhile(_.getClassName.startsWith(QUERY))
      .findFirst()
      .map[Boolean](!_.getClassName.startsWith(EXECUTION))
      .orElse(false)
  }

  private val CACHE = classOf[CacheManager].getName
  private val QUERY = classOf[QueryExecution].getName
  private val EXECUTION = SQLExecution.getClass.getName.stripSuffix("$")
}
