package io.eddyline.spark.rules

import org.apache.spark.sql.SparkSessionExtensions

import io.eddyline.spark.assume._
import io.eddyline.spark.assume.check.{GroupLayoutChecks, HoistChecks}
import io.eddyline.spark.assume.report.{CheckStreamUses, RemoveUnusedClaims, ReportClaims}
import io.eddyline.spark.cogroup._
import io.eddyline.spark.emit._
import io.eddyline.spark.globaltable.join._
import io.eddyline.spark.globaltable.refresh.PauseRefreshes
import io.eddyline.spark.kafka.ResolveTopicStream
import io.eddyline.spark.parser.CheckStatements
import io.eddyline.spark.parser.view.ShowViewsAsTyped
import io.eddyline.spark.realtime.RecordUncommittedOutput
import io.eddyline.spark.rules.Phase._
import io.eddyline.spark.streamingquery.state.{CheckStateShape, KeepEmptySources}

/**
 * All rules, in the order of Spark's phases. An optional rule only saves work, and is left out if
 * `spark.eddyline.rules.excluded` has its name. All other rules are needed by a clause.
 */
object EddylineRules {
  val ALL: Seq[InjectedRule] = Seq(
    hints(_ => ResolveEmitMode)(
      "Sets the output mode that EMIT needs when a streaming query is started."),
    hints(_ => CheckRealTimeStreams)("Refuses to use a stream twice in real-time mode."),
    hints(_ => ResolveAssumeHint)("Turns the hint ASSUME_PARTITIONED_BY into the clause."),
    hints(ResolveTopicStream(_))("Makes STREAM t of a table USING kafka the stream of its topics."),
    hints(ResolveWithoutSource(_))(
      "Resolves a global table whose source is gone, of which a version is read."),
    resolution(_ => ResolveCoGroup)(
      "Checks the keys of COGROUP and joins its branches to one union."),
    postHoc(_ => CheckEmitAlias)("Explains an EMIT that Spark has read as an alias."),
    postHoc(_ => RewriteCoGroup)("Gives each aggregate of COGROUP the rows of its branch."),
    postHoc(_ => ResolveEmit)("Checks the columns of EMIT, and removes it from batch queries."),
    postHoc(_ => ResolveAssume)("Checks the keys of ASSUME PARTITIONED BY."),
    postHoc(_ => ShowViewsAsTyped)("Lets SHOW CREATE TABLE print the query of a view as typed."),
    checks(_ => CheckStatements)("Refuses statements of eddyline in queries, views and functions."),
    checks(_ => CheckCoGroup)("Refuses COGROUP without aggregates."),
    checks(_ => CheckEmit)("Refuses an EMIT that a streaming query cannot fulfil."),
    checks(_ => CheckGlobalTable)(
      "Refuses outer joins of a stream that keep the unmatched rows of a global table."),
    checks(_ => CheckLayoutAgreement)("Refuses claims of one LAYOUT that disagree."),
    checks(_ => CheckStreamClaims)(
      "Refuses claims about streams, except those that each record proves."),
    normalization(_ => new CheckExcludedRules(ALL))(
      "Refuses to exclude rules that are needed or unknown."),
    normalization(CheckRemovedConfs(_))("Warns where a configuration key is set that is gone."),
    normalization(KeepEmptySources(_))(
      "Lets the optimizer plan a source without new rows as one with rows."),
    normalization(PinGlobalTables(_))(
      "Chooses the version of each global table for a query or micro-batch."),
    optimizer.optional(_ => RewriteGlobalViews)(
      "Joins the tables of a view over global tables one by one, so that it needs no replica."),
    optimizer.optional(_ => RewriteGlobalJoins)(
      "Puts the broadcast hint on the global side of a join."),
    optimizer.optional(_ => NarrowAssume)(
      "Reduces the keys of a claim to partition columns, which need no check."),
    optimizer.optional(_ => PushThroughAssume)(
      "Pushes filters and nested fields through a claim to the scan."),
    beforeCbo(_ => KeepInputFiles)("Drops claims below input_file_name() and similar functions."),
    beforeCbo.optional(_ => PruneThroughAssume)(
      "Pushes dynamic partition pruning through a claim to the scan."),
    strategy(_ => PlanEmit)("Plans EMIT in a streaming query."),
    strategy(PlanGlobalJoins(_))(
      "Plans the join with a global table as a lookup, and any other use as a scan."),
    strategy(_ => PlanExplain)("Runs EXPLAIN without a wait for a global table."),
    strategy(new PlanAssume(_))(
      "Reads the files of a claim by units, so that Spark plans no shuffle."),
    strategy(_ => DropCheckpointedLayouts)(
      "Drops the LAYOUT of rows that come from a checkpoint of a DataFrame."),
    queryStages(_ => ShuffleReplacedScans)(
      "Shuffles the rows of a claim whose scan another extension has replaced."),
    queryStages(_ => ReportClaims)("Finds out what became of each claim."),
    queryStages(_ => RemoveUnusedClaims)("Removes claims that save no shuffle, with their checks."),
    columnar(_ => CheckStreamUses)(
      "Refuses uses of a claim about a stream other than an aggregation by its keys."),
    columnar(_ => InsertEmit)("Inserts the operators of EMIT ON CHANGE into each micro-batch."),
    columnar(_ => ReportClaims.WithoutAdaptive)(
      "Finds out what became of each claim if adaptive execution is off."),
    columnar(_ => GroupLayoutChecks)("Has relations of one LAYOUT checked together."),
    columnar.optional(_ => HoistChecks)(
      "Checks a claim with the groups of an aggregate instead of a scan of its own."),
    columnar(CheckStateShape(_))(
      "Compares the state that a micro-batch has planned with that of the checkpoint."),
    columnar(_ => CheckRealTimePlan)(
      "Has Spark's list decide about the other operators in real-time mode."),
    columnar(RecordUncommittedOutput(_))(
      "Records that a micro-batch in real-time mode writes rows before it commits."),
    columnar(PauseRefreshes(_))("Pauses refreshes while a micro-batch in real-time mode starts."),
    columnar(_ => ShuffleReplacedScans.AfterTransitions)(
      "Shuffles the rows of a claim whose scan another extension has replaced late."))

  /** Injects all rules. */
  def inject(extensions: SparkSessionExtensions): Unit = ALL.foreach(_.inject(extensions))
}
