package io.eddyline.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.eddyline.spark.cogroup.{CheckCoGroup, ResolveCoGroup, RewriteCoGroup}
import io.eddyline.spark.parser.EddylineParser

/**
 * What eddyline adds to Spark, in the order of Spark's phases.
 *
 * | phase      | COGROUP          |
 * |------------|------------------|
 * | parser     | EddylineParser   |
 * | resolution | ResolveCoGroup   |
 * | post-hoc   | RewriteCoGroup   |
 * | check      | CheckCoGroup     |
 *
 * Loaded by `spark.sql.extensions`, by `java.util.ServiceLoader`, or by both: a
 * `SparkSessionExtensions` gets each rule once.
 */
class EddylineExtensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit =
    if (EddylineExtensions.extended.add(extensions)) {
      EddylineVersion.requireSupportedSpark()
      EddylineErrors.register()
      EddylineConf.register()
      extensions.injectParser((session, delegate) => new EddylineParser(session, delegate))
      extensions.injectResolutionRule(_ => ResolveCoGroup)
      extensions.injectPostHocResolutionRule(_ => RewriteCoGroup)
      extensions.injectCheckRule(_ => CheckCoGroup)
    }
}

private object EddylineExtensions {
  private val extended = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean]))
}
