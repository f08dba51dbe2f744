package org.apache.spark.sql.eddyline

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{CachedData, CacheManager}

/** The entries of CACHE TABLE and `Dataset.cache`, which all sessions of an application share. */
class CachedPlans(session: SparkSession) {
  private val cache = session.sharedState.cacheManager

  /**
   * Replaces the plans of entries with a name, such as those of CACHE TABLE; their rows are
   * computed at the next use.
   *
   * @param change returns the new plan of an entry, or an equal one to leave it
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
      // UNCACHE TABLE may have removed the entry meanwhile
      val replaced = if (entries.exists(_.plan == entry.plan)) entry.plan else changed
      cache.uncacheQuery(session, replaced, cascade = false)
    }

  /** Removes the entries whose plans satisfy `isGone`, whichever session cached them. */
  def remove(isGone: LogicalPlan => Boolean): Unit =
    entries.map(_.plan).filter(isGone).foreach(cache.uncacheQuery(session, _, cascade = true))

  private def entries: Seq[CachedData] =
    CachedPlans.ENTRIES.get(cache).asInstanceOf[Seq[CachedData]]
}

private object CachedPlans {

  /** The private field with all entries: Spark only finds an entry by its plan, and lists none. */
  private val ENTRIES = {
    val field = classOf[CacheManager].getDeclaredField("cachedData")
    field.setAccessible(true)
    field
  }
}
