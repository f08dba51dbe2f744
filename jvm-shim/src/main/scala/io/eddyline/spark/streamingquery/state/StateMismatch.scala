package io.eddyline.spark.streamingquery.state

import org.apache.spark.SparkThrowable

import io.eddyline.spark.base.EddylineErrors

/**
 * The error of a query whose state is not that of its checkpoint, whether eddyline or Spark finds
 * it out.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.STATE_DIFFERS.
 */
private[streamingquery] object StateMismatch {

  /** The conditions of Spark's own check, in the first micro-batch of a run. */
  private val CONDITIONS = Set(
    "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE", "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE",
    "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA")

  def apply(checkpoint: String, reason: String): Throwable = EddylineErrors.analysis(
    "EDDYLINE_STREAMING_QUERY.STATE_DIFFERS", Map("checkpoint" -> checkpoint, "reason" -> reason))

  /** Returns Spark's error of such a query as that of eddyline, and any other as it is. */
  def named(error: Throwable, checkpoint: String): Throwable =
    EddylineErrors.causes(error).collectFirst {
      case found: Throwable with SparkThrowable if CONDITIONS(found.getCondition) =>
        apply(checkpoint, found.getMessage.linesIterator.next().stripSuffix("."))
    }.getOrElse(error)
}
