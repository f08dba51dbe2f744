package io.eddyline.spark

/**
 * ASSUME PARTITIONED BY (KIP-759): no shuffle where the data already lies right. The life of a
 * clause:
 *
 *   - [[assume.AssumePlaceholder]] reads the placeholder that the lowering wrote, and
 *     [[assume.ResolveAssumeHint]] (hints) the hint; both make an [[assume.AssumePartitionedBy]];
 *   - [[assume.ResolveAssume]] (post-hoc) checks its keys;
 *   - [[assume.NarrowAssume]] (optimizer) keeps the partition columns among the keys, and
 *     [[assume.PushThroughAssume]] (optimizer) lets filters and nested fields pass the
 *     node, [[assume.PruneThroughAssume]] (before CBO) dynamic partition pruning;
 *   - [[assume.PlanAssume]] (strategy) finds the scan below and what its [[assume.ScanUnits]] are
 *     and cost ([[assume.UnitCost]]);
 *     an [[assume.UnitScanExec]] reads each unit in one task and reports that as its partitioning,
 *     so Spark's planner leaves the shuffle out. A claim without units is dropped with a reason;
 *   - where the units are files, [[assume.CheckUnitsExec]] stands above and asks, before the first
 *     row, a [[assume.FileCheck]], and shuffles if the claim is false;
 *   - a check asks the [[assume.Verdicts]], which are in memory and in a folder, else it compares
 *     the keys of files ([[assume.KeyCheck]]) and keeps what it has found;
 *   - [[assume.ReportAssumptions]] (query stage preparation with AQE, columnar rule without) says
 *     what became of each claim and takes away what is not used, for [[EddylineExplain]] and
 *     [[assume.ExplainAssumptionsCommand]];
 *   - [[assume.CheckAssumptionCommand]] looks for the keys that break a claim.
 */
package object assume
