package io.eddyline.spark.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.parser.{ParameterLocation, ParseException, PositionMapper}
import org.apache.spark.sql.catalyst.parser.Substitution
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/**
 * From places in a lowered text back to the text as typed.
 *
 * Spark's lexer counts code points, but Spark cuts the fragment of an error's context out of the text
 * by UTF-16 units. This leads from the former to the latter: a character that takes two units counts
 * as an edit, whose replacement is one long.
 *
 * @param typed the text as typed
 * @param lowered what Spark parses
 * @param edits from one to the other, in order, in UTF-16 units of `typed`
 */
private[parser] class Positions(
    val typed: String, val lowered: String, edits: List[Substitution]) {

  private val inCodePoints: List[Substitution] = {
    val pairs = typed.indices
      .filter(i => Character.isHighSurrogate(typed.charAt(i)) && i + 1 < typed.length)
      .filterNot(i => edits.exists(edit => edit.start <= i && i < edit.end))
      .map(i => Substitution(ParameterLocation(i, i + 2), "?"))
    (edits.map(e => e.copy(replacement = oneUnitEach(e.replacement))) ++ pairs).sortBy(_.start)
  }

  /** Spark's own mapper, for the errors that its parser raises. */
  val mapper: PositionMapper = PositionMapper(typed, lowered, inCodePoints)

  /** Where each edit lies in the lowered text, in code points. */
  private val replaced: List[(Range, Substitution)] =
    inCodePoints.foldLeft((0, List.empty[(Range, Substitution)])) { case ((shift, done), edit) =>
      val start = edit.start + shift
      val length = edit.replacement.length
      (shift + length - (edit.end - edit.start), (start until start + length, edit) :: done)
    }._2.reverse

  /** The typed offset at which the code point at `offset` of the lowered text begins. */
  def start(offset: Int): Int = mapper.mapToOriginal(offset)

  /** The typed offset at which it ends, inclusive; of an edit, where what it replaced ends. */
  def stop(offset: Int): Int =
    replaced.collectFirst { case (range, edit) if range.contains(offset) => edit.end - 1 }
      .getOrElse(mapper.mapToOriginal(offset))

  /** Run `body`, in which Spark's parser raises its errors in the typed text. */
  def within[T](body: => T): T = {
    val outer = CurrentOrigin.get
    CurrentOrigin.withOrigin(outer.copy(
      sqlText = outer.sqlText.orElse(Some(typed)), positionMapper = Some(mapper)))(body)
  }

  /**
   * One step for two: `parameters` put values in the place of the lowered text's parameter markers.
   * Markers stand in what the user typed, never in what the lowering wrote.
   */
  def andThen(parameters: PositionMapper): Positions = {
    val values = parameters.substitutions.map { s =>
      Substitution(ParameterLocation(start(s.start), stop(s.end - 1) + 1), s.replacement)
    }
    new Positions(typed, parameters.substitutedText, (edits ++ values).sortBy(_.start))
  }

  /** Spark's error on the lowered text, moved to the typed text. */
  def toTyped(error: ParseException): ParseException = error.start match {
    case Origin(Some(line), Some(column), _, _, _, _, _, _, _, _) =>
      val at = start(Positions.offset(lowered, line, column))
      new ParseException(
        Some(typed),
        Positions.origin(typed, at),
        error.getCondition,
        inTypedWords(error.getMessageParameters.asScala.toMap, at),
        error.getQueryContext)
    case _ => error
  }

  /** Spark names the offending token; where the lowering wrote it, the user's word stands there. */
  private def inTypedWords(parameters: Map[String, String], at: Int): Map[String, String] =
    parameters.get("error") match {
      case Some(token) if token.length > 2 && token.startsWith("'") &&
          !typed.startsWith(token.substring(1, token.length - 1), at) =>
        val rest = typed.substring(math.min(at, typed.length))
        val word = "^\\s*(\\w+|\\S)".r.findFirstMatchIn(rest).map(m => s"'${m.group(1)}'")
        parameters.updated("error", word.getOrElse("end of input"))
      case _ => parameters
    }

  private def oneUnitEach(text: String): String =
    text.codePoints.toArray.map(c => if (Character.isBmpCodePoint(c)) c.toChar else '?').mkString
}

private[parser] object Positions {

  /** A parse error over [start, stop) of the typed text; at its end there is nothing to underline. */
  def parseError(text: String, refused: Reply.Refused): ParseException = {
    val at = origin(text, refused.start)
    val range = at.copy(
      startIndex = Some(refused.start), stopIndex = Some(refused.stop - 1), sqlText = Some(text))
    new ParseException(
      Some(text), at, refused.condition, refused.parameters, range.getQueryContext)
  }

  /** Line and column, as Spark counts them, of an offset in UTF-16 units. */
  def origin(text: String, at: Int): Origin = {
    val before = text.substring(0, math.min(math.max(at, 0), text.length))
    val line = before.substring(before.lastIndexOf('\n') + 1)
    Origin(
      line = Some(before.count(_ == '\n') + 1),
      startPosition = Some(line.codePointCount(0, line.length)))
  }

  /** The offset, in code points, of a place that Spark's lexer gives. */
  private def offset(text: String, line: Int, column: Int): Int =
    text.linesWithSeparators.take(line - 1).map(l => l.codePointCount(0, l.length)).sum + column
}
