package io.eddyline.spark

/**
 * COGROUP (KIP-150) aggregates several inputs by a common key into one row for each key, with one
 * state store. The life of a clause:
 *
 *   - [[cogroup.CoGroupPlaceholder]] reads the placeholder that the lowering wrote, and makes
 *     [[cogroup.UnresolvedCoGroup]] over a [[cogroup.CoGroupBranch]] for each branch;
 *   - [[cogroup.ResolveCoGroup]] (resolution) checks the keys and makes [[cogroup.CoGroupUnion]]: a
 *     union of the branches, padded with NULLs and tagged with a bit for each branch, whose CHAR
 *     columns have one length ([[cogroup.CharColumns]]). [[cogroup.BranchStars]] resolves what
 *     Spark cannot, such as `count(branch.*)`;
 *   - [[cogroup.RewriteCoGroup]] (post-hoc) moves the arguments of SQL functions into the branches
 *     ([[cogroup.ComputedColumns]]), adds the FILTER of its branch to each aggregate that does not
 *     ignore the NULLs of other branches ([[cogroup.PaddedRowAnalysis]]), moves expressions that
 *     may fail on them into their branch ([[cogroup.BranchArguments]]), and removes the node, which
 *     leaves Spark's Aggregate over a Union. [[cogroup.PreaggregateCoGroup]] aggregates each branch
 *     first where that makes a batch query faster;
 *   - [[cogroup.CheckCoGroup]] (check) refuses branches without aggregates.
 */
package object cogroup
