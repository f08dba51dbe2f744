package io.eddyline.spark

/**
 * EMIT (KIP-557) says when a streaming query reports rows. The life of a clause:
 *
 *   - [[emit.EmitPlaceholder]] reads the placeholder that the lowering wrote, and makes
 *     [[emit.clause.Emit]] over the query;
 *   - [[emit.CheckEmitAlias]] (post-hoc) explains a clause that Spark read as an alias EMIT;
 *     [[emit.ResolveEmit]] (post-hoc) checks the columns and options, finds the keys that options
 *     need, and removes the clause in batch queries; [[emit.CheckEmit]] (check) refuses what a
 *     streaming query cannot fulfil; [[emit.clause.Emit]] itself raises the error about a stream
 *     that is run as a batch query;
 *   - [[emit.ResolveEmitMode]] (hints, in `start()`) sets the query's output mode and checks its
 *     trigger and the operators above the clause;
 *   - [[emit.PlanEmit]] (strategy) plans ON CHANGE and ON UPDATE as an
 *     [[emit.aggregate.EmitMarkerExec]] over the aggregation, or with KEY as an
 *     [[emit.keyed.StateInfoPlaceholderExec]];
 *   - [[emit.InsertEmit]] (columnar rule, each micro-batch) replaces these by
 *     [[emit.aggregate.StateAggregationExec]], which [[emit.aggregate.PlanStateAggregation]] plans,
 *     or [[emit.keyed.EmitOnChangeKeyExec]], after Spark has assigned state and watermarks;
 *   - with KEY, [[emit.keyed.KeyState]] says what the state of a key holds for the options, and
 *     [[emit.keyed.KeyedChanges]] decides in each task which rows are emitted.
 */
package object emit
