package io.eddyline.spark.streamingquery

import org.apache.spark.SparkThrowable

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.streamingquery.store.StoredQuery

/**
 * A definition that cannot be loaded.
 *
 * @param stored the definition; None if it cannot be read
 */
private[streamingquery] case class BrokenDefinition(
    error: Throwable, stored: Option[StoredQuery], restarts: Backoff)

private[streamingquery] object BrokenDefinition {

  /** A file that is cut or cannot be opened gives an error without a condition. */
  def of(
      name: String,
      error: Throwable,
      stored: Option[StoredQuery],
      restarts: Backoff): BrokenDefinition = {
    val named = error match {
      case _: SparkThrowable => error
      case _ => EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.INVALID_DEFINITION",
          Map("name" -> name, "reason" -> EddylineErrors.rootMessage(error)), cause = Some(error))
    }
    BrokenDefinition(named, stored, restarts)
  }
}
