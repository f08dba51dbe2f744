package io.eddyline.spark.assume.units

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}

import io.eddyline.spark.assume.claim.ClaimText
import io.eddyline.spark.base.OwnRule

/**
 * Finds out whether another extension, such as a native engine, reads files by an operator of its
 * own, which knows of no units. Its rules are asked with the scan alone when a claim is planned, so
 * that Spark plans the shuffle where the extension can take it over, too. A rule that decides by
 * the whole plan may answer otherwise, which
 * [[io.eddyline.spark.assume.ShuffleForeignScans]] corrects.
 */
private[assume] object OtherReaders {

  /** Why a claim about the files of a scan has no units; None if Spark reads them. */
  def reason(scan: FileSourceScanExec, session: SparkSession): Option[String] =
    rules(session).foldLeft[SparkPlan](scan)((plan, rule) => rule(plan))
      .collectLeaves().headOption
      .collect { case reader if !reader.isInstanceOf[FileSourceScanExec] => reason(reader) }

  def reason(reader: SparkPlan): String =
    s"${ClaimText.operator(reader).takeWhile(_ != ' ')} reads the files, and knows of no units"

  /** The rules of other extensions that see a scan, in the order in which Spark applies them. */
  private def rules(session: SparkSession): Seq[Rule[SparkPlan]] = {
    val state = session.sessionState
    val adaptive =
      if (state.conf.adaptiveExecutionEnabled) state.adaptiveRulesHolder.queryStagePrepRules
      else Nil
    val columnar = state.columnarRules.filterNot(_.isInstanceOf[OwnRule])
    adaptive.filterNot(_.isInstanceOf[OwnRule]) ++ columnar.map(_.preColumnarTransitions) ++
      columnar.reverse.map(_.postColumnarTransitions)
  }
}
