package io.eddyline.spark.globaltable.join

/**
 * What Spark makes a plan for, which only the call stack shows: Spark gives a rule the plan and
 * nothing else.
 *
 * Versions cannot be chosen later instead, when a plan runs. Spark finds the entries of CACHE TABLE
 * by comparing plans after normalization, so the version is part of a plan by then; and a scan of a
 * version is planned with its files.
 */
private[join] object PlanPurpose {

  /** The commands that only show plans. */
  private val EXPLAIN = Seq(
    "ExplainCommand", "ExplainAssumptionsCommand", "ExplainClausesCommand", "ExplainRulesCommand")

  /** Whether no query runs this plan: EXPLAIN shows it, or a DROP looks for it in the cache. */
  def isNeverRun: Boolean = StackWalker.getInstance.walk(_.anyMatch { frame =>
    EXPLAIN.exists(name => frame.getClassName.endsWith(s".$name")) ||
    frame.getMethodName.startsWith("uncache") && frame.getClassName.endsWith(".CacheManager")
  })

  /**
   * Whether `DataFrame.explain` shows this plan, which may run later. Spark also explains each
   * query that it runs, for the UI; then the caller is SQLExecution.
   */
  def isExplained: Boolean = StackWalker.getInstance.walk { frames =>
    frames
      .dropWhile(!_.getMethodName.startsWith("explainString"))
      .dropWhile(_.getClassName.contains(".QueryExecution"))
      .findFirst()
      .map[Boolean](!_.getClassName.contains(".SQLExecution"))
      .orElse(false)
  }
}
