package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}

import io.eddyline.spark.assume.claim.ClaimText

/**
 * Finds out whether another extension, such as a native engine, reads files by an operator of its
 * own, which knows of no units. Its rules are asked with the scan alone when a claim is planned, so
 * that Spark plans the shuffle where the extension can take it over, too. A rule that decides by
 * the whole plan may answer otherwise, which
 * [[io.eddyline.spark.assume.ShuffleForeignScans]] corrects.
 */
private[assume] object OtherReaders {

  /**
   * Returns what has another extension read the files of a scan by units, or why a claim about them
   * has none; None if Spark reads them. The rules of eddyline have to see the operators that use a
   * claim as those of Spark.
   */
  def of(
      scan: FileSourceScanExec, session: SparkSession): Option[Either[String, NativeUnits]] =
    reader(scan, others(session)).map { found =>
      NativeUnits.of(found).toRight(reason(found)).filterOrElse(
        _ => reader(scan, first(session)).isEmpty,
        s"${name(found)} reads the files, since its extension is loaded before eddyline's")
    }

  /** Why a claim about the files that an operator reads has no units. */
  def reason(reader: SparkPlan): String = s"${name(reader)} reads the files, and knows of no units"

  private def name(reader: SparkPlan): String = ClaimText.operator(reader).takeWhile(_ != ' ')

  private def reader(
      scan: FileSourceScanExec, rules: Seq[Rule[SparkPlan]]): Option[SparkPlan] =
    rules.foldLeft[SparkPlan](scan)((plan, rule) => rule(plan))
      .collectLeaves().headOption.filterNot(_.isInstanceOf[FileSourceScanExec])

  /** The rules of other extensions that see a scan, in the order in which Spark applies them. */
  private def others(session: SparkSession): Seq[Rule[SparkPlan]] = {
    val columnar = session.sessionState.columnarRules.filterNot(isOwn)
    preparation(session).filterNot(isOwn) ++
      columnar.map(_.preColumnarTransitions) ++ columnar.reverse.map(_.postColumnarTransitions)
  }

  /** Those of them that see it before the rules of eddyline. */
  private def first(session: SparkSession): Seq[Rule[SparkPlan]] =
    if (session.sessionState.conf.adaptiveExecutionEnabled) {
      preparation(session).takeWhile(!isOwn(_))
    } else {
      session.sessionState.columnarRules.takeWhile(!isOwn(_))
        .map(_.preColumnarTransitions)
    }

  private def preparation(session: SparkSession): Seq[Rule[SparkPlan]] = {
    val state = session.sessionState
    if (state.conf.adaptiveExecutionEnabled) state.adaptiveRulesHolder.queryStagePrepRules else Nil
  }

  /** Whether eddyline has injected a rule. */
  private def isOwn(rule: AnyRef): Boolean = rule.getClass.getName.startsWith("io.eddyline.spark.")
}
