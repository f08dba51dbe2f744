package io.eddyline.spark.streamingquery

/**
 * Keeps the state of a [[state.CheckedQuery]] in one shape:
 *
 *   - [[state.KeepEmptySources]] (normalization, each micro-batch) lets the optimizer plan a source
 *     without new rows as one with rows, so that all micro-batches have one plan;
 *   - [[state.CheckStateShape]] (columnar rule, each micro-batch) compares the [[state.StateShape]]
 *     of that plan, as [[state.ExpressionType]] spells it, with the one in the checkpoint.
 */
package object state
