package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.parser._

/** The methods of a parser that Spark has had since 4.3. */
private[spark] trait ParserShim extends ParserInterface {
  protected def delegate: ParserInterface

  /**
   * Returns a text of the same length in which each clause is a plain query; None if the text has
   * no clause, or there is no sidecar to find it.
   */
  protected def masked(text: String): Option[String]

  /**
   * Splits the input of the spark-sql CLI into statements. Spark does it by parsing, so a clause of
   * eddyline would break a script at its first semicolon. So Spark splits the masked text, and the
   * typed text is cut at the same offsets. Without a sidecar Spark splits the text as typed, and a
   * clause in it fails when its statement runs.
   */
  override def splitStatements(text: String): SqlStatementSplitResult =
    masked(text).fold(delegate.splitStatements(text)) { plain =>
      StatementCutter.cut(text, plain, delegate.splitStatements(plain))
    }

  override def parseTemporalTableIdentifier(text: String): TemporalIdentifier =
    delegate.parseTemporalTableIdentifier(text)
}
