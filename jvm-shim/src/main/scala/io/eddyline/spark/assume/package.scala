package io.eddyline.spark

/**
 * ASSUME PARTITIONED BY (KIP-759): no shuffle where the data already lies right. The life of a
 * clause:
 *
 *   - [[assume.AssumePlaceholder]] reads the placeholder that the lowering wrote, and
 *     [[assume.ResolveAssumeHint]] (hints) the hint; both make an [[assume.AssumePartitionedBy]];
 *   - [[assume.ResolveAssume]] (post-hoc) checks its keys, [[assume.CheckLayouts]] (check) that
 *     claims of one [[assume.Layout]] agree;
 *   - [[assume.NarrowAssume]] (optimizer) keeps the partition columns among the keys, and
 *     [[assume.PushThroughAssume]] (optimizer) lets filters and nested fields pass the
 *     node, [[assume.PruneThroughAssume]] (before CBO) dynamic partition pruning;
 *     [[assume.KeepInputFiles]] (before CBO) drops claims that input_file_name() would tell of;
 *   - [[assume.PlanAssume]] (strategy) finds the scan below and what its [[assume.ScanUnits]] are
 *     and cost ([[assume.UnitCost]]);
 *     an [[assume.UnitScanExec]] reads each unit in one task and reports that as its partitioning,
 *     so Spark's planner leaves the shuffle out. A claim without units is dropped with a reason.
 *     When it runs it lists the files again, and reads them as the units that were planned;
 *   - where the units are files, [[assume.CheckUnitsExec]] stands above and asks, before the first
 *     row, a [[assume.UnitCheck]], and shuffles if the claim is false. The check knows the
 *     [[assume.Verdicts]], which are in memory and in a folder, else it compares the keys of units
 *     ([[assume.KeyCheck]]) by a [[assume.KeyScan]] of the files that the query's own scan has
 *     listed, and keeps what it has found;
 *   - where the rows of such files are aggregated below an Exchange, [[assume.HoistChecks]]
 *     (columnar rule) lets a [[assume.GatherKeysExec]] take the keys from above the aggregate, and
 *     a [[assume.CheckedExchangeExec]] holds the rows back until they are compared;
 *   - what was checked by a scan is read as it was listed, or not at all
 *     ([[assume.CheckedFiles]]);
 *   - where Spark's hash gives the number of a unit, a [[assume.WitnessCheck]] compares the two,
 *     and the units are Spark's own hash partitioning;
 *   - the units of a named layout are a partitioning by a [[assume.LayoutFunction]], which Spark
 *     aligns by their numbers; [[assume.CheckLayoutExec]] checks all relations together that
 *     [[assume.PairLayouts]] (columnar rule) finds, by a [[assume.LayoutCheck]];
 *   - [[assume.ForgetLayouts]] (strategy) takes the layout from a checkpoint, which cannot be
 *     checked any more;
 *   - over rows that the query has shuffled, an [[assume.DerivedClaimExec]] trusts the claim;
 *   - [[assume.ReportAssumptions]] (query stage preparation with AQE, columnar rule without) says
 *     what became of each claim and takes away what is not used, for [[EddylineExplain]] and
 *     [[assume.ExplainAssumptionsCommand]];
 *   - [[assume.CheckAssumptionCommand]] looks for the keys that break a claim.
 */
package object assume
