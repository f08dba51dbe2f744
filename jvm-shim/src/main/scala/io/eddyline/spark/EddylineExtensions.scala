package io.eddyline.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{classic, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.SparkSessionExtensionsProvider

import io.eddyline.spark.assume._
import io.eddyline.spark.assume.check.{HoistChecks, PairLayouts}
import io.eddyline.spark.assume.report.{CheckStreamUses, RemoveUnusedClaims, ReportClaims}
import io.eddyline.spark.cogroup._
import io.eddyline.spark.emit._
import io.eddyline.spark.globaltable.GlobalTablePlaceholder
import io.eddyline.spark.globaltable.join._
import io.eddyline.spark.kafka.ResolveTopicStream
import io.eddyline.spark.parser.{EddylineParser, ShowViewsAsTyped, UnsupportedSparkParser}
import io.eddyline.spark.placeholder.{Placeholder, PrettyText}
import io.eddyline.spark.report.ReportPlaceholder
import io.eddyline.spark.streamingquery.{StreamingQueries, StreamingQueryPlaceholder, TargetTables}

/**
 * What eddyline adds to Spark, in the order of Spark's phases.
 *
 * | phase         | rules                                                                        |
 * |---------------|------------------------------------------------------------------------------|
 * | parser        | EddylineParser                                                               |
 * | functions     | PrettyText                                                                   |
 * | hints         | ResolveEmitMode, ResolveAssumeHint, ResolveTopicStream                       |
 * | resolution    | ResolveCoGroup                                                               |
 * | post-hoc      | CheckEmitAlias, RewriteCoGroup, ResolveEmit, ResolveAssume, ShowViewsAsTyped |
 * | check         | CheckCoGroup, CheckEmit, CheckGlobalTable, CheckLayoutAgreement,             |
 * |               | CheckStreamClaims                                                            |
 * | normalization | PinGlobalTables                                                              |
 * | optimizer     | RewriteGlobalViews, RewriteGlobalJoins, NarrowAssume, PushThroughAssume      |
 * | before CBO    | KeepInputFiles, PruneThroughAssume                                           |
 * | strategy      | PlanEmit, PlanGlobalJoins, PlanAssume, ForgetLayouts                         |
 * | query stages  | ShuffleForeignScans, ReportClaims, RemoveUnusedClaims                        |
 * | columnar      | CheckStreamUses, InsertEmit, ReportClaims, PairLayouts, HoistChecks,         |
 * |               | ShuffleForeignScans                                                          |
 *
 * Loaded by `spark.sql.extensions`, by `java.util.ServiceLoader`, or by both: a
 * `SparkSessionExtensions` gets each rule once. On a Spark that this jar does not support, it gets
 * a parser that says so.
 */
class EddylineExtensions extends SparkSessionExtensionsProvider {
  import EddylineExtensions.classicSession

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (EddylineExtensions.extended.add(extensions)) {
      EddylineVersion.unsupported match {
        case Some(reason) => UnsupportedSparkParser.inject(extensions, reason)
        case None =>
          EddylineErrors.register()
          EddylineConf.initialize()
          inject(extensions)
      }
    }

  private def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectParser { (session, delegate) =>
      TargetTables.track(session)
      StreamingQueries.beginAtStart(session)
      new EddylineParser(session, delegate, EddylineExtensions.PLACEHOLDERS)
    }
    extensions.injectFunction((PrettyText.NAME, PrettyText.INFO, values => PrettyText(values)))
    extensions.injectHintResolutionRule(_ => ResolveEmitMode)
    extensions.injectHintResolutionRule(_ => ResolveAssumeHint)
    extensions.injectHintResolutionRule(session => ResolveTopicStream(classicSession(session)))
    extensions.injectResolutionRule(_ => ResolveCoGroup)
    extensions.injectPostHocResolutionRule(_ => CheckEmitAlias)
    extensions.injectPostHocResolutionRule(_ => RewriteCoGroup)
    extensions.injectPostHocResolutionRule(_ => ResolveEmit)
    extensions.injectPostHocResolutionRule(_ => ResolveAssume)
    extensions.injectPostHocResolutionRule(_ => ShowViewsAsTyped)
    extensions.injectCheckRule(_ => CheckCoGroup)
    extensions.injectCheckRule(_ => CheckEmit)
    extensions.injectCheckRule(_ => CheckGlobalTable)
    extensions.injectCheckRule(_ => CheckLayoutAgreement)
    extensions.injectCheckRule(_ => CheckStreamClaims)
    extensions.injectPlanNormalizationRule(session => PinGlobalTables(classicSession(session)))
    extensions.injectOptimizerRule(_ => RewriteGlobalViews)
    extensions.injectOptimizerRule(_ => RewriteGlobalJoins)
    extensions.injectOptimizerRule(_ => NarrowAssume)
    extensions.injectOptimizerRule(_ => PushThroughAssume)
    extensions.injectPreCBORule(_ => KeepInputFiles)
    extensions.injectPreCBORule(_ => PruneThroughAssume)
    extensions.injectPlannerStrategy(_ => PlanEmit)
    extensions.injectPlannerStrategy(session => PlanGlobalJoins(classicSession(session)))
    extensions.injectPlannerStrategy(session => new PlanAssume(classicSession(session)))
    extensions.injectPlannerStrategy(_ => ForgetLayouts)
    extensions.injectQueryStagePrepRule(_ => ShuffleForeignScans)
    extensions.injectQueryStagePrepRule(_ => ReportClaims)
    extensions.injectQueryStagePrepRule(_ => RemoveUnusedClaims)
    extensions.injectColumnar(_ => CheckStreamUses)
    extensions.injectColumnar(_ => InsertEmit)
    extensions.injectColumnar(_ => ReportClaims.WithoutAdaptive)
    extensions.injectColumnar(_ => PairLayouts)
    extensions.injectColumnar(_ => HoistChecks)
    extensions.injectColumnar(_ => ShuffleForeignScans.AfterTransitions)
  }
}

private object EddylineExtensions {

  /** The readers of the placeholders that the lowering writes, one per clause. */
  private val PLACEHOLDERS: Seq[Placeholder] = Seq(
    AssumePlaceholder,
    CoGroupPlaceholder,
    EmitPlaceholder,
    GlobalTablePlaceholder,
    ReportPlaceholder,
    StreamingQueryPlaceholder)

  private def classicSession(session: SparkSession): classic.SparkSession = session match {
    case session: classic.SparkSession => session
  }

  private val extended = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean]))
}
