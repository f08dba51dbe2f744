package io.eddyline.spark.parser.view

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}

import io.eddyline.spark.parser.sidecar.{Reply, Sidecar}

/**
 * Returns a query's text as a catalog stores it: lowered, so that it needs no Python.
 *
 * @param delegate the parser below eddyline's
 */
private[parser] class LoweredQueryText(delegate: ParserInterface) extends (String => String) {
  override def apply(query: String): String =
    try {
      delegate.parsePlan(query)
      query
    } catch {
      case refused: ParseException => Sidecar.read(query) match {
          case Reply.Lowered(text, _, _) => text
          case _ => throw refused
        }
    }
}
