package io.eddyline.spark.parser

import java.util.regex.Pattern

import scala.io.Source
import scala.util.Using

import org.antlr.v4.runtime.Token

import io.eddyline.spark.base.SqlTokens

/** The words that can begin a clause of eddyline; the build generates them from `keywords.toml`. */
private[parser] object Keywords {

  /** Maps each word to the words of which one must follow it; empty: any word may follow. */
  private val starting: Map[String, Set[String]] = Using.resource(
    Source.fromInputStream(getClass.getResourceAsStream("/eddyline/keywords.txt"), "UTF-8"))(
    _.getLines().map(_.split(' ')).map(words => words.head -> words.tail.toSet).toMap)

  private val anyOfThem = Pattern.compile(
    starting.keys.map(Pattern.quote).mkString("\\b(?:", "|", ")\\b"), Pattern.CASE_INSENSITIVE)

  /** Whether one of the words occurs in a text, outside of strings, quoted names and comments. */
  def mayStartClause(text: String): Boolean =
    anyOfThem.matcher(text).find() && mayStartClause(SqlTokens.of(text).filter(_.getChannel == 0))

  /** Whether one of the words is among the tokens. */
  def mayStartClause(tokens: IterableOnce[Token]): Boolean = tokens.iterator.sliding(2).exists {
    case Seq(word, follower) =>
      starting.get(word.getText).exists(next => next.isEmpty || next(follower.getText))
    case _ => false
  }
}
