package io.eddyline.spark.rules

import org.apache.spark.sql.SparkSessionExtensions

/**
 * What users may know of one rule, check, strategy or columnar rule.
 *
 * @param phase when Spark applies it
 * @param name the name of its class without packages; of an object in another, as `Outer.Inner`
 * @param description a sentence that says what it does
 * @param isOptional whether it only saves work, so that a query has the same rows without it
 * @param inject adds it to the extensions of a session
 */
case class InjectedRule(phase: String, name: String, description: String, isOptional: Boolean)(
    val inject: SparkSessionExtensions => Unit)
