package io.eddyline.spark

/**
 * EXPLAIN CLAUSES: what became of each clause of a query or statement, as rows. Its life:
 *
 *   - [[report.ReportPlaceholder]] reads the placeholder that the lowering wrote, and makes a
 *     command: [[report.ExplainClausesCommand]] for a query, or
 *     [[report.ExplainStreamingClausesCommand]] for a streaming query by its name;
 *   - [[report.PlanReport]] walks the physical plan ([[report.OperatorWithParents]]) and gathers a
 *     [[report.Finding]] for each claim, COGROUP, EMIT, global table, stateful operator
 *     ([[report.StateOperators]]), Exchange ([[report.Exchanges]]) and fallback;
 *     [[report.QueryReport]] plans queries for it, and adds the micro-batches of a stream;
 *   - [[report.PlanTree]] gives the same plan to pictures, as [[report.PlanNode]]s, with the
 *     Exchanges that clauses have saved ([[report.SavedExchanges]]) at their places;
 *   - [[report.FindingRows]] makes rows of them, whose `details` are JSON; the command line prints
 *     its rows by [[report.PrettyText]].
 *
 * EXPLAIN's section ([[EddylineExplain]]), `eddyline.why` and the tab of Spark's UI, to which
 * [[report.QueryReports]] posts them, show the same findings.
 */
package object report
