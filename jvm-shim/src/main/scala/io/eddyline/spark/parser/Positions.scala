package io.eddyline.spark.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.parser.{ParameterLocation, ParseException, PositionMapper}
import org.apache.spark.sql.catalyst.parser.Substitution
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/** From positions in a lowered text back to the text as typed. */
private[parser] object Positions {

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
    Origin(
      line = Some(before.count(_ == '\n') + 1),
      startPosition = Some(before.length - (before.lastIndexOf('\n') + 1)))
  }

  private def offset(text: String, line: Int, column: Int): Int =
    text.linesWithSeparators.take(line - 1).map(_.length).sum + column
}
