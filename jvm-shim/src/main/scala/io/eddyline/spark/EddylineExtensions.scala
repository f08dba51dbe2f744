package io.eddyline.spark

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.eddyline.spark.assume.AssumePlaceholder
import io.eddyline.spark.base.{EddylineConf, EddylineErrors, EddylineVersion}
import io.eddyline.spark.cogroup.CoGroupPlaceholder
import io.eddyline.spark.emit.EmitPlaceholder
import io.eddyline.spark.globaltable.GlobalTablePlaceholder
import io.eddyline.spark.parser.{EddylineParser, UnsupportedSparkParser}
import io.eddyline.spark.placeholder.Placeholder
import io.eddyline.spark.report.{PrettyText, ReportPlaceholder}
import io.eddyline.spark.rules.{EddylineRules, RulesPlaceholder}
import io.eddyline.spark.streamingquery.StreamingQueryPlaceholder

/**
 * What eddyline adds to Spark: the parser, and the rules, which [[rules.EddylineRules]] lists in
 * the order of Spark's phases.
 *
 * Loaded by `spark.sql.extensions`, by `java.util.ServiceLoader`, or by both: a
 * `SparkSessionExtensions` gets each rule once. On a Spark that this jar does not support, it gets
 * a parser that says so.
 */
class EddylineExtensions extends SparkSessionExtensionsProvider {
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
      EddylineApplication.begin(session)
      new EddylineParser(session, delegate, EddylineExtensions.PLACEHOLDERS)
    }
    extensions.injectFunction((PrettyText.NAME, PrettyText.INFO, values => PrettyText(values)))
    EddylineRules.inject(extensions)
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
    RulesPlaceholder,
    StreamingQueryPlaceholder)

  private val extended = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, java.lang.Boolean]))
}
