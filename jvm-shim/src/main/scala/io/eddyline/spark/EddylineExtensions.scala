package io.eddyline.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{classic, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.SparkSessionExtensionsProvider

import io.eddyline.spark.cogroup.{CheckCoGroup, ResolveCoGroup, RewriteCoGroup}
import io.eddyline.spark.emit._
import io.eddyline.spark.globaltable._
import io.eddyline.spark.parser.EddylineParser
import io.eddyline.spark.streamingquery.TargetTables

/**
 * What eddyline adds to Spark, in the order of Spark's phases.
 *
 * | phase         | COGROUP        | EMIT                         | GLOBAL TABLE       |
 * |---------------|----------------|------------------------------|--------------------|
 * | parser        | EddylineParser | EddylineParser               | EddylineParser     |
 * | hints         |                | ResolveEmitMode              |                    |
 * | resolution    | ResolveCoGroup |                              |                    |
 * | post-hoc      | RewriteCoGroup | RefuseEmitAlias, ResolveEmit |                    |
 * | check         | CheckCoGroup   | CheckEmit                    | CheckGlobalTable   |
 * | normalization |                |                              | PinGlobalTables    |
 * | optimizer     |                |                              | RewriteGlobalViews |
 * |               |                |                              | RewriteGlobalJoins |
 * | strategy      |                | PlanEmit                     | PlanGlobalJoins    |
 * | columnar      |                | InsertEmit                   |                    |
 *
 * Loaded by `spark.sql.extensions`, by `java.util.ServiceLoader`, or by both: a
 * `SparkSessionExtensions` gets each rule once.
 */
class EddylineExtensions extends SparkSessionExtensionsProvider {
  import EddylineExtensions.classicSession

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
      extensions.injectCheckRule(_ => CheckGlobalTable)
      extensions.injectPlanNormalizationRule(session => PinGlobalTables(classicSession(session)))
      extensions.injectOptimizerRule(_ => RewriteGlobalViews)
      extensions.injectOptimizerRule(_ => RewriteGlobalJoins)
      extensions.injectPlannerStrategy(_ => PlanEmit)
      extensions.injectPlannerStrategy(session => PlanGlobalJoins(classicSession(session)))
      extensions.injectColumnar(_ => InsertEmit)
    }
}

private object EddylineExtensions {
  private def classicSession(session: SparkSession): classic.SparkSession = session match {
    case session: classic.SparkSession => session
  }

  private val extended = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean]))
}
