package io.eddyline.spark.base

import org.antlr.v4.runtime.{CharStreams, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

/**
 * A token of Spark's lexer.
 *
 * @param kind a constant of `SqlBaseLexer`
 * @param text as typed
 * @param start its index in the text, in UTF-16 units
 * @param isHidden whether it is a comment or a space
 */
private[spark] case class SqlToken(kind: Int, text: String, start: Int, isHidden: Boolean)

private[spark] object SqlTokens {

  /** Returns Spark's tokens of a text, in upper case, with comments and spaces. The last is EOF. */
  def of(text: String): Iterator[Token] = {
    val upper = text.map(c => if (c >= 'a' && c <= 'z') c.toUpper else c)
    val lexer = new SqlBaseLexer(CharStreams.fromString(upper))
    lexer.removeErrorListeners()
    val (words, rest) = Iterator.continually(lexer.nextToken()).span(_.getType != Token.EOF)
    words ++ rest.take(1)
  }

  /** Returns the same tokens as typed, without EOF. Together they are the whole text. */
  def typed(text: String): IndexedSeq[SqlToken] = {
    val tokens = of(text).filter(_.getType != Token.EOF).toIndexedSeq
    val starts = tokens.scanLeft(0)(_ + _.getText.length)
    tokens.zip(starts).map { case (token, start) =>
      SqlToken(
        token.getType, text.substring(start, start + token.getText.length), start,
        token.getChannel != Token.DEFAULT_CHANNEL)
    }
  }
}
