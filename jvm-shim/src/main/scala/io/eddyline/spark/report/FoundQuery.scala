package io.eddyline.spark.report

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.streaming.StreamingQuery

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.streamingquery.StreamingQueries

/**
 * A streaming query that SQL started, or that a session runs.
 *
 * @param lastRun None if it has never run
 * @param shown removes its secrets from a text
 */
private[spark] case class FoundQuery(lastRun: Option[StreamingQuery], shown: String => String)

private[spark] object FoundQuery {

  /**
   * Returns the query that SQL started under this name, or else one that this session runs and that
   * has this name or id.
   *
   * Errors: EDDYLINE_STREAMING_QUERY.NOT_FOUND.
   */
  def of(name: String, place: Origin, session: SparkSession): FoundQuery = {
    val started = StreamingQueries.of(session).find(name, place)
    val running = session.streams.active.find(query =>
      query.name == name || query.id.toString == name)
    (started, running) match {
      case (Some(query), _) => FoundQuery(query.lastRun, query.redact)
      case (_, Some(query)) => FoundQuery(Some(query), identity)
      case _ =>
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.NOT_FOUND", place, "name" -> name)
    }
  }
}
