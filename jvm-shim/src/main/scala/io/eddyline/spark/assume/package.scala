package io.eddyline.spark

/**
 * ASSUME PARTITIONED BY (KIP-759): a claim that the data is already partitioned by some keys, which
 * saves shuffles and is checked instead of trusted. The packages, from the bottom up:
 *
 *   - `claim`: what a claim says ([[assume.claim.AssumePartitionedBy]]), and its outcomes;
 *   - `units`: a unit is a group of files, or a partition of a topic, that one task reads.
 *     [[assume.units.ScanUnits]] groups the files of a scan, [[assume.units.UnitScanExec]] reads
 *     them so and reports the units to Spark as its partitioning;
 *   - `verdict`: the results of checks, in memory and in a folder ([[assume.verdict.Verdicts]]);
 *   - `check`: the operators that check whether a claim is true;
 *   - `report`: what EXPLAIN says of claims, and CHECK ASSUMPTION;
 *   - this package: the rules that take a claim from the text to the physical plan.
 *
 * The life of a clause:
 *
 *   1. [[assume.AssumePlaceholder]] reads the placeholder that the lowering wrote, and
 *      [[assume.ResolveAssumeHint]] (hints) reads the hint. [[assume.ResolveAssume]] (post-hoc)
 *      checks the keys, and [[assume.CheckLayoutAgreement]] (check) refuses claims of one layout
 *      that disagree. [[assume.CheckStreamClaims]] (check) refuses claims about streams but those
 *      of a topic USING HASH.
 *   1. [[assume.NarrowAssume]] (optimizer) reduces the keys to partition columns,
 *      [[assume.PushThroughAssume]] (optimizer) pushes filters and nested fields through the node,
 *      and [[assume.PruneThroughAssume]] (before CBO) pushes dynamic partition pruning through it.
 *      [[assume.KeepInputFiles]] (before CBO) drops claims that would change input_file_name().
 *   1. [[assume.PlanAssume]] (strategy) finds the scan below the claim and reads it by units, so
 *      Spark's planner leaves the shuffle out. A claim without units, or whose units would cost
 *      parallelism ([[assume.units.UnitCost]]), is dropped with a reason. A claim about a stream
 *      becomes a [[assume.units.StreamUnitsExec]], which checks each record;
 *      [[assume.report.CheckStreamUses]] (columnar) refuses all uses but an aggregation.
 *      [[assume.DropCheckpointedLayouts]] (strategy) drops the layout of rows that come from a
 *      checkpoint.
 *   1. Where the units are files, [[assume.check.VerifyClaimExec]] runs a
 *      [[assume.check.ClaimVerifier]] before the first row, and shuffles if the claim is false.
 *      [[assume.check.HoistChecks]] (columnar) collects the keys above an aggregate instead, where
 *      an Exchange can withhold the rows until the keys are compared. Relations of one layout that
 *      meet in a stage are checked together ([[assume.check.GroupLayoutChecks]], columnar).
 *   1. [[assume.report.ReportClaims]] (query stages with AQE, columnar without) tags each claim
 *      with its outcomes, and [[assume.report.RemoveUnusedClaims]] removes those that save nothing.
 */
package object assume
