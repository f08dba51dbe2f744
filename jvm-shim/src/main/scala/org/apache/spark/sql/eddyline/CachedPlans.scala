package org.apache.spark.sql.eddyline

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{CachedData, CacheManager}

/** What CACHE TABLE and `Dataset.cache` hold for all sessions of an application. */
class CachedPlans(session: SparkSession) {
  private val cache = session.sharedState.cacheManager

  /**
   * Lets what is cached under a name, such as that of CACHE TABLE, hold the rows of another plan;
   * they are computed at the next use.
   */
  def replace(change: LogicalPlan => LogicalPlan): Unit =
    for {
      entry <- entries
      builder = entry.cachedRepresentation.cacheBuilder
      name <- builder.tableName
      changed = change(entry.plan) if changed != entry.plan
    } {
      val session = builder.cachedPlan.session
      cache.cacheQuery(session, changed, Some(name), builder.storageLevel)
      cache.uncacheQuery(session, entry.plan, cascade = false)
    }

  /** Whoever cached it. */
  def remove(isGone: LogicalPlan => Boolean): Unit =
    entries.map(_.plan).filter(isGone).foreach(cache.uncacheQuery(session, _, cascade = true))

  private def entries: Seq[CachedData] =
    CachedPlans.ENTRIES.get(cache).asInstanceOf[Seq[CachedData]]
}

private object CachedPlans {
  /** Spark finds an entry by its plan alone, and lists none. */
  private val ENTRIES = {
    val field = classOf[CacheManager].getDeclaredField("cachedData")
    field.setAccessible(true)
    field
  }
}
