package io.eddyline.spark

/**
 * ASSUME PARTITIONED BY (KIP-759): no shuffle where the data already lies right, checked instead of
 * trusted. From the bottom up:
 *
 *   - `claim`: what a claim says ([[assume.claim.AssumePartitionedBy]]), and what became of it;
 *   - `units`: which files one task reads ([[assume.units.ScanUnits]]), the operator that reads
 *     them so ([[assume.units.UnitScanExec]]) and the partitionings that it reports to Spark;
 *   - `verdict`: what checks have found, in memory and in a folder ([[assume.verdict.Verdicts]]);
 *   - `check`: whether a claim is true of the files;
 *   - `report`: EXPLAIN, EXPLAIN ASSUMPTIONS and CHECK ASSUMPTION;
 *   - this package: the rules that take a claim from the text to the physical plan.
 *
 * The life of a clause:
 *
 *   1. [[assume.AssumePlaceholder]] reads what the lowering wrote and [[assume.ResolveAssumeHint]]
 *      (hints) reads the hint; [[assume.ResolveAssume]] (post-hoc) checks the keys and
 *      [[assume.CheckLayoutAgreement]] (check) that claims of one layout agree.
 *   1. [[assume.NarrowAssume]] (optimizer) keeps the partition columns among the keys,
 *      [[assume.PushThroughAssume]] (optimizer) lets filters and nested fields pass the node, and
 *      [[assume.PruneThroughAssume]] (before CBO) lets dynamic partition pruning pass it.
 *      [[assume.KeepInputFiles]] (before CBO) drops claims that would change input_file_name().
 *   1. [[assume.PlanAssume]] (strategy) finds the scan below the claim and reads it by units, so
 *      Spark's planner leaves the shuffle out. A claim without units, or whose units would cost
 *      parallelism ([[assume.units.UnitCost]]), is dropped with a reason.
 *      [[assume.ForgetLayouts]] (strategy) drops the layout of rows that come from a checkpoint.
 *   1. Where the units are files, a [[assume.check.VerifyClaimExec]] asks a
 *      [[assume.check.ClaimVerifier]] before the first row, and shuffles if the claim is false.
 *      [[assume.check.HoistChecks]] (columnar) takes the keys from above an aggregate instead,
 *      where an Exchange can hold the rows back until the keys are compared. Relations of one
 *      layout are checked together, as [[assume.check.PairLayouts]] (columnar) finds them.
 *   1. [[assume.report.ReportClaims]] (query stages with AQE, columnar without) tags each claim
 *      with what became of it, and [[assume.report.RemoveUnusedClaims]] removes what saves nothing.
 */
package object assume
