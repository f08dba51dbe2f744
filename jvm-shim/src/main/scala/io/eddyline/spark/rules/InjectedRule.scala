package io.eddyline.spark.rules

import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.EddylineConf

/**
 * What users may know of one rule, check, strategy or columnar rule.
 *
 * @param trackedName the name of its class, by which Spark measures a rule of Catalyst
 * @param name the name of its class without packages; of an object in another, as `Outer.Inner`
 * @param phase when Spark applies it
 * @param clause the package of the class, which is the clause that the rule belongs to
 * @param description a sentence that says what it does
 * @param needed why it cannot be excluded; None if it only saves work
 */
case class InjectedRule(
    trackedName: String,
    name: String,
    phase: String,
    clause: String,
    description: String,
    needed: Option[String]) {

  /** Whether the rule only saves work, so that a query has the same rows without it. */
  def isOptional: Boolean = needed.isEmpty

  def isExcluded(conf: SQLConf): Boolean =
    isOptional && conf.getConf(EddylineConf.EXCLUDED_RULES).contains(name)
}

object InjectedRule {
  private val CLASS = raw"io\.eddyline\.spark\.(\w+)\.(?:\w+\.)*([\w$$]+?)\$$?".r

  /** Returns the rule of a class, whose name and package give its name and clause. */
  def of(
      found: Class[_], phase: String, description: String, needed: Option[String]): InjectedRule =
    found.getName match {
      case full @ CLASS(clause, name) =>
        InjectedRule(
          full.stripSuffix("$"), name.replace('$', '.'), phase, clause, description, needed)
    }
}
