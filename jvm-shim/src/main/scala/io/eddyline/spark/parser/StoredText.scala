package io.eddyline.spark.parser

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.execution.SparkSqlParser

/** Returns a query's text as a view stores it: lowered, so that the view needs no Python. */
private[spark] object StoredText {
  def of(query: String): String =
    try {
      new SparkSqlParser().parsePlan(query)
      query
    } catch {
      case refused: ParseException => Sidecar.read(query) match {
          case Reply.Lowered(text, _, _) => text
          case _ => throw refused
        }
    }
}
