package io.eddyline.spark.rules

import java.util
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.base.{EddylineConf, PerApplication}

/** Logs a warning if a removed key is set, once for each key in an application. */
private[rules] case class CheckRemovedConfs(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    EddylineConf.REMOVED.foreach { case (key, instead) =>
      if (conf.contains(key) && CheckRemovedConfs.warnedOf(session).add(key)) {
        logWarning(s"$key is set, but eddyline has no such key any more. $instead")
      }
    }
    plan
  }
}

private object CheckRemovedConfs {
  private val warned = new PerApplication[util.Set[String]]

  /** The keys of which a warning was logged in the application. */
  private def warnedOf(session: SparkSession): util.Set[String] =
    warned.of(session.sparkContext)(ConcurrentHashMap.newKeySet[String]())
}
