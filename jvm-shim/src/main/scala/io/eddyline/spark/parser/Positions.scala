package io.eddyline.spark.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.parser.{ParameterLocation, ParseException, PositionMapper}
import org.apache.spark.sql.catalyst.parser.Substitution
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/**
 * From positions in a lowered text back to the text as typed.
 *
 * Spark's lexer counts code points, but Spark cuts the fragment of an error's context out of the text
 * by UTF-16 units. So the mappers made here lead from the former to the latter: a character that takes
 * two units counts as an edit, whose replacement is one long.
 */
private[parser] object Positions {

  /** The mapper of a lowering. */
  def mapper(typed: String, lowered: String, edits: List[Substitution]): PositionMapper = {
    val inCodePoints = edits.map(edit => edit.copy(replacement = oneUnitEach(edit.replacement)))
    val pairs = typed.indices
      .filter(i => Character.isHighSurrogate(typed.charAt(i)) && i + 1 < typed.length)
      .filterNot(i => edits.exists(edit => edit.start <= i && i < edit.end))
      .map(i => Substitution(ParameterLocation(i, i + 2), "?"))
    PositionMapper(typed, lowered, (inCodePoints ++ pairs).sortBy(_.start))
  }

  /** Run `body`, in which every plan and expression parsed keeps its position in the typed text. */
  def within[T](mapper: PositionMapper)(body: => T): T = {
    val outer = CurrentOrigin.get
    CurrentOrigin.withOrigin(outer.copy(
      sqlText = outer.sqlText.orElse(Some(mapper.originalText)),
      positionMapper = Some(mapper)))(body)
  }

  /**
   * One mapper for two rewrites: `lowering` made a text of the typed one, and `parameters` put values
   * in the place of that text's parameter markers. Markers stand in what the user typed, never in
   * what the lowering wrote, so the edits do not overlap.
   */
  def compose(lowering: PositionMapper, parameters: PositionMapper): PositionMapper = {
    val typed = parameters.substitutions.map { s =>
      val start = lowering.mapToOriginal(s.start)
      Substitution(ParameterLocation(start, start + (s.end - s.start)), s.replacement)
    }
    PositionMapper(
      lowering.originalText,
      parameters.substitutedText,
      (lowering.substitutions ++ typed).sortBy(_.start))
  }

  /** A parse error over [start, stop) of the typed text; at its end there is nothing to underline. */
  def parseError(text: String, refused: Reply.Refused): ParseException = {
    val at = origin(text, refused.start)
    val range = at.copy(
      startIndex = Some(refused.start), stopIndex = Some(refused.stop - 1), sqlText = Some(text))
    new ParseException(
      Some(text), at, refused.condition, refused.parameters, range.getQueryContext)
  }

  /** Spark's error on the lowered text, moved to the typed text. */
  def toTyped(error: ParseException, mapper: PositionMapper): ParseException =
    error.start match {
      case Origin(Some(line), Some(column), _, _, _, _, _, _, _, _) =>
        val lowered = offset(mapper.substitutedText, line, column)
        val typed = mapper.mapToOriginal(lowered)
        new ParseException(
          Some(mapper.originalText),
          origin(mapper.originalText, typed),
          error.getCondition,
          inTypedWords(error.getMessageParameters.asScala.toMap, mapper, lowered, typed),
          error.getQueryContext)
      case _ => error
    }

  /** Spark names the offending token; where the lowering wrote it, the user's word stands there. */
  private def inTypedWords(
      parameters: Map[String, String],
      mapper: PositionMapper,
      lowered: Int,
      typed: Int): Map[String, String] =
    parameters.get("error") match {
      case Some(token) if token.startsWith("'") && token.length > 2 &&
          !mapper.originalText.startsWith(token.substring(1, token.length - 1), typed) =>
        val rest = mapper.originalText.substring(math.min(typed, mapper.originalText.length))
        val word = "^\\s*(\\w+|\\S)".r.findFirstMatchIn(rest).map(m => s"'${m.group(1)}'")
        parameters.updated("error", word.getOrElse("end of input"))
      case _ => parameters
    }

  private def origin(text: String, at: Int): Origin = {
    val before = text.substring(0, math.min(math.max(at, 0), text.length))
    val line = before.substring(before.lastIndexOf('\n') + 1)
    Origin(
      line = Some(before.count(_ == '\n') + 1),
      startPosition = Some(line.codePointCount(0, line.length)))
  }

  /** The offset, in code points, of a place that Spark's lexer gives. */
  private def offset(text: String, line: Int, column: Int): Int =
    text.linesWithSeparators.take(line - 1).map(l => l.codePointCount(0, l.length)).sum + column

  private def oneUnitEach(text: String): String =
    text.codePoints.toArray.map(c => if (Character.isBmpCodePoint(c)) c.toChar else '?').mkString
}
