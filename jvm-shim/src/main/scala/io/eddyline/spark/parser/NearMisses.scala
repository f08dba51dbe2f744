package io.eddyline.spark.parser

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseLexer}
import org.apache.spark.unsafe.types.UTF8String

import io.eddyline.spark.base.{EddylineErrors, Json, SqlTokens}

/**
 * Explains why a text that is nearly one of eddyline's was rejected. Spark has rejected it already,
 * so an explanation never changes what a text means. That of a phrase replaces Spark's error only
 * if this error lies at the phrase.
 *
 * Errors: EDDYLINE_SYNTAX.FEATURE_REMOVED, NEAR_MISS, UNCLOSED_COMMENT, UNCLOSED_QUOTE.
 */
private[parser] object NearMisses {

  /**
   * A phrase of `sql/near_misses.toml`, which describes the fields.
   *
   * @param words the phrase, word by word
   * @param write what to write instead
   * @param statement whether the phrase must begin a statement
   * @param removed whether an earlier version of eddyline had the phrase
   * @param misspelt whether the phrase is right, and is explained if one word of it is misspelt
   * @param needs a word that must stand somewhere after the beginning of the phrase
   * @param after phrases that must stand somewhere before it, in this order
   */
  private case class Miss(
      words: Seq[String],
      write: String,
      statement: Boolean = false,
      removed: Boolean = false,
      misspelt: Boolean = false,
      needs: Option[String] = None,
      after: Seq[Seq[String]] = Nil)

  /** The longest phrases first, so that the most precise one explains a text. */
  private val misses: Seq[Miss] = {
    val table = Json.mapper.readTree(getClass.getResource("/eddyline/near_misses.json"))
    def entries(name: String): Seq[JsonNode] = table.get(name).elements.asScala.toSeq
    val known = entries("miss").flatMap { entry =>
      val after = Option(entry.get("after")).toSeq.flatMap(_.elements.asScala)
        .map(_.asText.split(' ').toSeq)
      entry.get("words").elements.asScala.map(phrase =>
        Miss(phrase.asText.split(' ').toSeq, entry.get("write").asText, entry.has("statement"),
          entry.has("removed"), after = after))
    }
    val spelling = entries("spelling").map { entry =>
      val phrase = entry.get("words").asText
      val needs = Option(entry.get("needs")).map(_.asText)
      Miss(phrase.split(' ').toSeq, phrase, misspelt = true, needs = needs)
    }
    (known ++ spelling).sortBy(miss => (miss.misspelt, -miss.words.size))
  }

  private val BEFORE_STATEMENT = Set(";", "BEGIN", "DO", "ELSE", "LOOP", "REPEAT", "THEN")
  private val BEFORE_QUERY =
    BEFORE_STATEMENT ++ Set("(", "ALL", "AS", "DISTINCT", "EXCEPT", "EXPLAIN", "INTERSECT", "UNION")
  private val QUOTES = Set("'", "\"", "`")

  /** Spark's error may lie at a phrase, or at most this number of words after it. */
  private val WORDS_AFTER = 2

  /** Returns an error that says what is wrong, or `refused`, Spark's error, if that is unknown. */
  def explain(typed: String, refused: ParseException): ParseException =
    if (EddylineErrors.isOurs(refused)) refused
    else {
      val all = SqlTokens.of(typed).toIndexedSeq
      val words = all.filter(_.getChannel == 0)
      val explained = unclosed(typed, all).orElse(nearMiss(typed, words, refused))
      explained.foreach(_.addSuppressed(refused))
      explained.getOrElse(refused)
    }

  /** Returns the error of an unclosed quote or comment, if a clause may begin before it. */
  private def unclosed(typed: String, all: IndexedSeq[Token]): Option[ParseException] =
    all.indices.find { i =>
      val text = all(i).getText
      val isQuote = all(i).getType == SqlBaseLexer.UNRECOGNIZED && QUOTES(text)
      isQuote || (text.startsWith("/*") && all(i).getChannel != 0 && !text.endsWith("*/"))
    }.filter(i => Keywords.mayStartClause(all.take(i).filter(_.getChannel == 0))).map { i =>
      val text = all(i).getText
      if (QUOTES(text)) error(typed, all(i), all(i), "UNCLOSED_QUOTE", "quote" -> text)
      else error(typed, all(i), all(i), "UNCLOSED_COMMENT")
    }

  /** Returns the error of the first entry whose phrase stands where Spark's error lies. */
  private def nearMiss(
      typed: String, words: IndexedSeq[Token], refused: ParseException): Option[ParseException] =
    for {
      line <- refused.start.line
      column <- refused.start.startPosition
      at = words.lastIndexWhere(word =>
        word.getLine < line || (word.getLine == line && word.getCharPositionInLine <= column))
      // if Spark does not know the first word of a statement, the phrase may follow this word
      from = if (beginsStatement(words, at)) at + 1 else at
      (miss, first) <- misses.iterator.flatMap { miss =>
        (from until at - miss.words.size - WORDS_AFTER by -1)
          .find(first => first >= 0 && isAt(miss, words, first)).map(miss -> _)
      }.nextOption()
    } yield {
      val last = words(first + miss.words.size - 1)
      if (miss.removed) {
        error(typed, words(first), last, "FEATURE_REMOVED",
          "feature" -> miss.words.mkString(" "), "hint" -> s"Write ${miss.write}.")
      } else {
        val (start, stop) = range(typed, words(first), last)
        error(typed, words(first), last, "NEAR_MISS",
          "found" -> typed.substring(start, stop), "write" -> miss.write)
      }
    }

  /** Whether the words from index `first` on are those of an entry, and its conditions hold. */
  private def isAt(miss: Miss, words: IndexedSeq[Token], first: Int): Boolean = {
    val found = words.slice(first, first + miss.words.size).map(_.getText)
    lazy val (same, other) = found.zip(miss.words).partition { case (word, right) => word == right }
    // a misspelt phrase of one word counts only where a query may begin
    def isMisspelt = (same.nonEmpty || BEFORE_QUERY(before(words, first))) && other.size == 1 &&
      other.forall { case (word, right) => isNear(word, right) } &&
      miss.needs.forall(needed => words.drop(first).exists(_.getText == needed))
    found.size == miss.words.size && (!miss.statement || beginsStatement(words, first)) &&
    areInOrder(miss.after, words.take(first).map(_.getText)) &&
    (if (miss.misspelt) isMisspelt else found == miss.words)
  }

  private def areInOrder(phrases: Seq[Seq[String]], words: Seq[String]): Boolean =
    phrases.foldLeft(0) { (from, phrase) =>
      val at = if (from < 0) -1 else words.indexOfSlice(phrase, from)
      if (at < 0) -1 else at + phrase.size
    } >= 0

  private def beginsStatement(words: IndexedSeq[Token], at: Int): Boolean =
    BEFORE_STATEMENT(before(words, at))

  /** The word before the one at `at`; a semicolon before the first. */
  private def before(words: IndexedSeq[Token], at: Int): String =
    if (at <= 0) ";" else words(at - 1).getText

  /** Whether a word has the letters of the right one in another order, or differs by one or two. */
  private def isNear(word: String, right: String): Boolean = {
    val limit = if (right.length > 6) 2 else 1
    val distance = UTF8String.fromString(word).levenshteinDistance(UTF8String.fromString(right))
    right.length > 3 && (word.sorted == right.sorted || distance <= limit)
  }

  private def error(
      typed: String, first: Token, last: Token, condition: String, parameters: (String, String)*)
      : ParseException = {
    val (start, stop) = range(typed, first, last)
    SourceMap.parseError(typed, s"EDDYLINE_SYNTAX.$condition", parameters.toMap, start, stop)
  }

  /** Returns the range [start, stop) of tokens, in UTF-16 units; the lexer counts code points. */
  private def range(typed: String, first: Token, last: Token): (Int, Int) =
    (typed.offsetByCodePoints(0, first.getStartIndex),
      typed.offsetByCodePoints(0, last.getStopIndex + 1))
}
