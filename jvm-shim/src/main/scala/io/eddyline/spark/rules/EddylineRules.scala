package io.eddyline.spark.rules

import scala.reflect.ClassTag

import org.apache.spark.sql.{classic, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, SparkStrategy}

import io.eddyline.spark.assume._
import io.eddyline.spark.assume.check.{HoistChecks, PairLayouts}
import io.eddyline.spark.assume.report.{CheckStreamUses, RemoveUnusedClaims, ReportClaims}
import io.eddyline.spark.cogroup._
import io.eddyline.spark.emit._
import io.eddyline.spark.globaltable.join._
import io.eddyline.spark.globaltable.refresh.HoldRefreshes
import io.eddyline.spark.kafka.ResolveTopicStream
import io.eddyline.spark.parser.CheckStatements
import io.eddyline.spark.parser.view.ShowViewsAsTyped
import io.eddyline.spark.realtime.RecordAnswers
import io.eddyline.spark.streamingquery.state.{CheckStateShape, KeepEmptySources}

/**
 * All rules, in the order of Spark's phases. A rule is excluded by
 * `spark.eddyline.rules.excluded`, unless it says for what it is needed.
 */
object EddylineRules {
  private type Injection = (SparkSessionExtensions, InjectedRule) => Unit

  private val INJECTIONS: Seq[(InjectedRule, Injection)] = Seq(
    hint("Sets the output mode that EMIT needs when a streaming query is started.",
      needed("a stream would start in the output mode Append"))(_ => ResolveEmitMode),
    hint("Refuses to use a stream twice in real-time mode.",
      needed("the query would fail at the end of its first micro-batch"))(_ =>
      CheckRealTimeStreams),
    hint("Turns the hint ASSUME_PARTITIONED_BY into the clause.",
      needed("a claim above the hint REBALANCE could be taken for one about the files"))(_ =>
      ResolveAssumeHint),
    hint("Makes STREAM t of a table USING kafka the stream of its topics.",
      needed("Spark cannot read such a table as a stream"))(session =>
      ResolveTopicStream(classicSession(session))),
    hint("Resolves a global table whose source is gone, of which a version is read.",
      needed("a query of the table would fail, although the version is there"))(session =>
      ResolveWithoutSource(classicSession(session))),
    resolution("Checks the keys of COGROUP and joins its branches to one union.",
      needed("COGROUP could not be resolved"))(_ => ResolveCoGroup),
    postHoc("Explains an EMIT that Spark has read as an alias.",
      needed("the error would name a column that nobody typed"))(_ => CheckEmitAlias),
    postHoc("Gives each aggregate of COGROUP the rows of its branch.",
      needed("an aggregate would count the rows of other branches"))(_ => RewriteCoGroup),
    postHoc("Checks the columns of EMIT, and removes it from batch queries.",
      needed("batch queries cannot be planned with EMIT"))(_ => ResolveEmit),
    postHoc("Checks the keys of ASSUME PARTITIONED BY.",
      needed("a claim about keys without equal bytes could give other rows"))(_ => ResolveAssume),
    postHoc("Lets SHOW CREATE TABLE print the query of a view as typed.",
      needed("SHOW CREATE TABLE would print what the view stores"))(_ => ShowViewsAsTyped),
    check("Refuses statements of eddyline in queries, views and functions.",
      needed("whoever reads a view could run the statement of another user"))(_ => CheckStatements),
    check("Refuses COGROUP without aggregates.",
      needed("the error would have no position"))(_ => CheckCoGroup),
    check("Refuses an EMIT that a streaming query cannot fulfil.",
      needed("the stream could give other rows"))(_ => CheckEmit),
    check("Refuses outer joins of a stream that keep the unmatched rows of a global table.",
      needed("a stream could not know which rows to keep"))(_ => CheckGlobalTable),
    check("Refuses claims of one LAYOUT that disagree.",
      needed("a join by the layout could lose rows"))(_ => CheckLayoutAgreement),
    check("Refuses claims about streams, except those that each record proves.",
      needed("a false claim would give other rows"))(_ => CheckStreamClaims),
    normalization("Refuses to exclude rules that are needed or unknown.",
      needed("a rule that is needed could be left out"))(_ => new CheckExcludedRules(ALL)),
    normalization("Lets the optimizer plan a source without new rows as one with rows.",
      needed("the state would have another shape in a micro-batch without rows of a source"))(
      session => KeepEmptySources(classicSession(session))),
    normalization("Chooses the version of each global table for a query or micro-batch.",
      needed("a global table cannot be read without a version"))(session =>
      PinGlobalTables(classicSession(session))),
    optimizer("Joins the tables of a view over global tables one by one, so that the view needs " +
      "no replica.")(_ => RewriteGlobalViews),
    optimizer("Puts the broadcast hint on the global side of a join.")(_ => RewriteGlobalJoins),
    optimizer("Reduces the keys of a claim to partition columns, which need no check.")(_ =>
      NarrowAssume),
    optimizer("Pushes filters and nested fields through a claim to the scan.")(_ =>
      PushThroughAssume),
    preCbo("Drops claims below input_file_name() and similar functions.",
      needed("these functions would return other files"))(_ => KeepInputFiles),
    preCbo("Pushes dynamic partition pruning through a claim to the scan.")(_ =>
      PruneThroughAssume),
    strategy("Plans EMIT in a streaming query.",
      needed("Spark cannot plan EMIT"))(_ => PlanEmit),
    strategy("Plans the join with a global table as a lookup, and any other use as a scan.",
      needed("Spark cannot plan a version of a global table"))(session =>
      PlanGlobalJoins(classicSession(session))),
    strategy("Reads the files of a claim by units, so that Spark plans no shuffle.",
      needed("Spark cannot plan a claim"))(session => new PlanAssume(classicSession(session))),
    strategy("Drops the LAYOUT of rows that come from a checkpoint of a DataFrame.",
      needed("a join could rely on a layout that was not checked"))(_ => ForgetLayouts),
    queryStage("Shuffles the rows of a claim whose scan another extension has replaced.",
      needed("tasks would share the rows of a unit"))(_ => ShuffleForeignScans),
    queryStage("Finds out what became of each claim.",
      needed("EXPLAIN CLAUSES and spark.eddyline.assume.strict would not know"))(_ =>
      ReportClaims),
    queryStage("Removes claims that save no shuffle, with their checks.",
      needed("a claim that is false, but not used, could fail a query"))(_ => RemoveUnusedClaims),
    columnar("Refuses uses of a claim about a stream other than an aggregation by its keys.",
      needed("other uses could give other rows"))(_ => CheckStreamUses),
    columnar("Inserts the operators of EMIT ON CHANGE into each micro-batch.",
      needed("Spark cannot run EMIT ON CHANGE"))(_ => InsertEmit),
    columnar("Finds out what became of each claim if adaptive execution is off.",
      needed("EXPLAIN CLAUSES and spark.eddyline.assume.strict would not know"))(_ =>
      ReportClaims.WithoutAdaptive),
    columnar("Has relations of one LAYOUT checked together.",
      needed("a key in different units of two relations would be found by no check"))(_ =>
      PairLayouts),
    columnar("Checks a claim with the groups of an aggregate instead of a scan of its own.")(_ =>
      HoistChecks),
    columnar("Compares the state that a micro-batch has planned with that of the checkpoint.",
      needed("a state could be read in another shape than it was written in"))(session =>
      CheckStateShape(classicSession(session))),
    columnarAfter("Has Spark's list decide about the other operators in real-time mode.",
      needed("Spark would refuse EMIT ON CHANGE, or check nothing"))(_ => CheckRealTimePlan),
    columnarAfter("Records that a micro-batch in real-time mode writes rows before it commits.",
      needed("a run after it could take a row that is stale for the last one"))(session =>
      RecordAnswers(classicSession(session))),
    columnarAfter("Holds refreshes back while a micro-batch in real-time mode starts.",
      needed("a refresh could take the slots that the query needs, and end it"))(session =>
      HoldRefreshes(classicSession(session))),
    columnarAfter("Shuffles the rows of a claim whose scan another extension has replaced late.",
      needed("tasks would share the rows of a unit"))(_ =>
      ShuffleForeignScans.AfterTransitions))

  /** All rules, without the parser. */
  val ALL: Seq[InjectedRule] = INJECTIONS.map(_._1)

  /** Injects all rules. */
  def inject(extensions: SparkSessionExtensions): Unit =
    INJECTIONS.foreach { case (rule, injection) => injection(extensions, rule) }

  private def needed(reason: String): Option[String] = Some(reason)

  private def hint[R <: Rule[LogicalPlan]: ClassTag](does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("hints", does, needed)((extensions, rule) =>
      extensions.injectHintResolutionRule(catalyst(rule, build)))

  private def resolution[R <: Rule[LogicalPlan]: ClassTag](does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("resolution", does, needed)((extensions, rule) =>
      extensions.injectResolutionRule(catalyst(rule, build)))

  private def postHoc[R <: Rule[LogicalPlan]: ClassTag](does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("post-hoc", does, needed)((extensions, rule) =>
      extensions.injectPostHocResolutionRule(catalyst(rule, build)))

  private def check[R <: LogicalPlan => Unit: ClassTag](does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("check", does, needed)((extensions, rule) =>
      extensions.injectCheckRule(session =>
        new CheckRule(rule, RuleLog.of(session), build(session))))

  private def normalization[R <: Rule[LogicalPlan]: ClassTag](
      does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("normalization", does, needed)((extensions, rule) =>
      extensions.injectPlanNormalizationRule(catalyst(rule, build)))

  private def optimizer[R <: Rule[LogicalPlan]: ClassTag](does: String)(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("optimizer", does, None)((extensions, rule) =>
      extensions.injectOptimizerRule(catalyst(rule, build, isOptimizer = true)))

  private def preCbo[R <: Rule[LogicalPlan]: ClassTag](
      does: String, needed: Option[String] = None)(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("before CBO", does, needed)((extensions, rule) =>
      extensions.injectPreCBORule(catalyst(rule, build)))

  private def strategy[R <: SparkStrategy: ClassTag](does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("strategy", does, needed)((extensions, rule) =>
      extensions.injectPlannerStrategy(session =>
        new StrategyRule(rule, RuleLog.of(session), build(session))))

  private def queryStage[R <: Rule[SparkPlan]: ClassTag](does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("query stages", does, needed)((extensions, rule) =>
      extensions.injectQueryStagePrepRule(session =>
        new PhysicalRule(rule, RuleLog.of(session), build(session))))

  private def columnar[R <: ColumnarRule: ClassTag](does: String, needed: Option[String] = None)(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("columnar", does, needed)((extensions, rule) =>
      extensions.injectColumnar(session =>
        PhysicalRule.before(rule, RuleLog.of(session), build(session))))

  private def columnarAfter[R <: ColumnarRule: ClassTag](does: String, needed: Option[String])(
      build: SparkSession => R): (InjectedRule, Injection) =
    rule[R]("columnar", does, needed)((extensions, rule) =>
      extensions.injectColumnar(session =>
        PhysicalRule.after(rule, RuleLog.of(session), build(session))))

  private def rule[R](phase: String, does: String, needed: Option[String])(injection: Injection)(
      implicit tag: ClassTag[R]): (InjectedRule, Injection) =
    InjectedRule.of(tag.runtimeClass, phase, does, needed) -> injection

  private def catalyst(
      rule: InjectedRule,
      build: SparkSession => Rule[LogicalPlan],
      isOptimizer: Boolean = false): SparkSession => Rule[LogicalPlan] = session =>
    new CatalystRule(rule, RuleLog.of(session), build(session), isOptimizer)

  private def classicSession(session: SparkSession): classic.SparkSession = session match {
    case session: classic.SparkSession => session
  }
}
