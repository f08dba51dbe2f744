package io.eddyline.spark.streamingquery

/**
 * Says whether a new definition of a streaming query may continue from the checkpoint of the old
 * one. Two definitions are compared, because a checkpoint has only the types of its state: a sum
 * and a count look the same in it.
 *
 *   - [[validation.MicroBatchPlanner]] plans both as Spark would plan a micro-batch;
 *   - [[validation.QueryShape]] is what of a plan matters: its [[validation.SourceShape]]s, and an
 *     [[validation.OperatorShape]] for each stateful operator, in expressions that
 *     [[validation.Lineage]] has traced down to the columns of streams and tables;
 *   - [[validation.ShapeDifferences]] compares two shapes and gives [[validation.Difference]]s;
 *   - if these find no obstacle, Spark's own check of the state's schema runs on a copy of the
 *     metadata in the [[validation.Checkpoint]].
 */
package object validation
