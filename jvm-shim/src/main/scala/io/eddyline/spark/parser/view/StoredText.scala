package io.eddyline.spark.parser.view

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}

import io.eddyline.spark.parser.sidecar.{Reply, Sidecar}

/** Returns a query's text as a view stores it: lowered, so that the view needs no Python. */
private[spark] object StoredText {

  /** The parser below eddyline's that reads the statement of this thread. */
  private val reader = new ThreadLocal[ParserInterface]

  /** Returns what the session stores for a query of the statement that it parses now. */
  def of(query: String): String =
    try {
      reader.get.parsePlan(query)
      query
    } catch {
      case refused: ParseException => Sidecar.read(query) match {
          case Reply.Lowered(text, _, _) => text
          case _ => throw refused
        }
    }

  /** Runs `work`, which may ask for texts, for a statement that `delegate` has parsed. */
  private[parser] def by[T](delegate: ParserInterface)(work: => T): T = {
    val before = reader.get
    reader.set(delegate)
    try work
    finally reader.set(before)
  }
}
