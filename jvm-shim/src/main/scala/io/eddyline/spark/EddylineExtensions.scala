package io.eddyline.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.eddyline.spark.cogroup.{CheckCoGroup, ResolveCoGroup, RewriteCoGroup}
import io.eddyline.spark.emit._
import io.eddyline.spark.parser.EddylineParser
import io.eddyline.spark.streamingquery.TargetTables

/**
 * What eddyline adds to Spark, in the order of Spark's phases.
 *
 * | phase      | COGROUP        | EMIT                         |
 * |------------|----------------|------------------------------|
 * | parser     | EddylineParser | EddylineParser               |
 * | hints      |                | ResolveEmitMode              |
 * | resolution | ResolveCoGroup |                              |
 * | post-hoc   | RewriteCoGroup | RefuseEmitAlias, ResolveEmit |
 * | check      | CheckCoGroup   | CheckEmit                    |
 * | strategy   |                | PlanEmit                     |
 * | columnar   |                | InsertEmit                   |
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
      extensions.injectParser { (session, delegate) =>
        TargetTables.track(session)
        new EddylineParser(session, delegate)
      }
      extensions.injectHintResolutionRule(_ => ResolveEmitMode)
      extensions.injectResolutionRule(_ => ResolveCoGroup)
      extensions.injectPostHocResolutionRule(_ => RefuseEmitAlias)
      extensions.injectPostHocResolutionRule(_ => RewriteCoGroup)
      extensions.injectPostHocResolutionRule(_ => ResolveEmit)
      extensions.injectCheckRule(_ => CheckCoGroup)
      extensions.injectCheckRule(_ => CheckEmit)
      extensions.injectPlannerStrategy(_ => PlanEmit)
      extensions.injectColumnar(_ => InsertEmit)
    }
}

private object EddylineExtensions {
  private val extended = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean]))
}
