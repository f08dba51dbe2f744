package io.eddyline.spark

/**
 * COGROUP (KIP-150): many inputs, one key, one state store, one row. The life of a clause:
 *
 *   - [[cogroup.CoGroupPlaceholder]] reads the placeholder that the lowering wrote, and makes
 *     [[cogroup.UnresolvedCoGroup]] over one [[cogroup.CoGroupBranch]] a branch;
 *   - [[cogroup.ResolveCoGroup]] (resolution) checks the keys and makes [[cogroup.CoGroupUnion]]:
 *     the branches padded with typed NULLs, tagged with a bit each, and united.
 *     [[cogroup.BranchStars]] finds what Spark's names cannot say, as in `count(branch.*)`;
 *   - [[cogroup.RewriteCoGroup]] (post-hoc) gives each aggregate the FILTER of its branch where
 *     padding is not enough, moves what may not see [[cogroup.PaddedRows]] into its branch
 *     ([[cogroup.BranchArguments]]), and takes the node away: what is left is Spark's Aggregate
 *     over a Union. [[cogroup.PreaggregateCoGroup]] aggregates each branch first where a batch
 *     gains;
 *   - [[cogroup.CheckCoGroup]] (check) refuses branches without aggregates.
 */
package object cogroup
