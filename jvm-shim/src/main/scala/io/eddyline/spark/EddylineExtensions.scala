package io.eddyline.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.eddyline.spark.assume._
import io.eddyline.spark.cogroup.{CheckCoGroup, ResolveCoGroup, RewriteCoGroup}
import io.eddyline.spark.emit._
import io.eddyline.spark.parser.EddylineParser
import io.eddyline.spark.streamingquery.TargetTables

/**
 * What eddyline adds to Spark, in the order of Spark's phases.
 *
 * | phase      | COGROUP        | EMIT                         | ASSUME                          |
 * |------------|----------------|------------------------------|---------------------------------|
 * | parser     | EddylineParser | EddylineParser               | EddylineParser                  |
 * | hints      |                | ResolveEmitMode              | ResolveAssumeHint               |
 * | resolution | ResolveCoGroup |                              |                                 |
 * | post-hoc   | RewriteCoGroup | RefuseEmitAlias, ResolveEmit | ResolveAssume                   |
 * | check      | CheckCoGroup   | CheckEmit                    |                                 |
 * | optimizer  |                |                              | NarrowAssume, PushThroughAssume |
 * | before CBO |                |                              | PruneThroughAssume              |
 * | strategy   |                | PlanEmit                     | PlanAssume                      |
 * | stages     |                |                              | ReportAssumptions               |
 * | columnar   |                | InsertEmit                   | ReportAssumptions               |
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
      extensions.injectHintResolutionRule(_ => ResolveAssumeHint)
      extensions.injectPostHocResolutionRule(_ => ResolveAssume)
      extensions.injectOptimizerRule(_ => NarrowAssume)
      extensions.injectOptimizerRule(_ => PushThroughAssume)
      extensions.injectPreCBORule(_ => PruneThroughAssume)
      extensions.injectPlannerStrategy(new PlanAssume(_))
      extensions.injectQueryStagePrepRule(_ => ReportAssumptions)
      extensions.injectColumnar(_ => ReportAssumptions.WithoutAdaptive)
    }
}

private object EddylineExtensions {
  private val extended = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean]))
}
