package io.eddyline.spark.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.QueryContext
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin, SQLQueryContext}

import io.eddyline.spark.placeholder.Placeholder

/**
 * Maps positions in a lowered text to the text as typed.
 *
 * Spark's lexer counts code points, but Spark cuts the fragment of an error's context out of the
 * text by UTF-16 units. So this maps code points of the lowered text to units of the typed text,
 * where a character of two units counts as an edit whose replacement has length 1.
 *
 * @param typedText the text as typed
 * @param lowered the text that Spark parses
 * @param edits the edits of the typed text that lead to `lowered`, in order; their locations count
 *              the UTF-16 units of the typed text
 */
private[parser] class SourceMap(
    val typedText: String, val lowered: String, private val edits: List[Substitution]) {

  /** The typed offsets of the characters that take two UTF-16 units. */
  private val pairs: Array[Int] = typedText.indices
    .filter(i => Character.isHighSurrogate(typedText.charAt(i)) && i + 1 < typedText.length).toArray

  private val lineStarts: Array[Int] =
    0 +: typedText.indices.filter(typedText.charAt(_) == '\n').map(_ + 1).toArray

  /** Maps code points of the lowered text to UTF-16 units of the typed text. */
  val mapper: EditMapper = {
    val edited = new java.util.BitSet
    edits.foreach(edit => edited.set(edit.start, edit.end))
    val untouched = pairs.toSeq.filterNot(edited.get(_))
      .map(i => Substitution(ParameterLocation(i, i + 2), "?"))
    def oneUnitEach(text: String) =
      text.codePoints.toArray.map(c => if (Character.isBmpCodePoint(c)) c.toChar else '?').mkString
    val ofOneUnit = edits.map(e => e.copy(replacement = oneUnitEach(e.replacement)))
    new EditMapper(typedText, lowered, (ofOneUnit ++ untouched).sortBy(_.start))
  }

  /** The typed offset at which the code point at `offset` of the lowered text begins. */
  def start(offset: Int): Int = mapper.mapToOriginal(offset)

  /** The typed offset of the last unit of that code point; in an edit, of the edit's last unit. */
  def stop(offset: Int): Int = mapper.mapLastToOriginal(offset)

  /** Returns what was typed for a part of the lowered text; `part` itself if it is not in it. */
  def typedPart(part: String): String = lowered.indexOf(part) match {
    case -1 => part
    case at =>
      val first = lowered.codePointCount(0, at)
      val last = lowered.codePointCount(0, at + part.length) - 1
      typedText.substring(start(first), stop(last) + 1)
  }

  /** Returns the line and column of a typed offset: Spark's columns count code points. */
  def place(at: Int): Origin = {
    val offset = math.min(math.max(at, 0), typedText.length)
    val line = EditMapper.last(lineStarts, offset)
    val lineStart = lineStarts(line)
    val pairsBefore = EditMapper.last(pairs, offset - 1) - EditMapper.last(pairs, lineStart - 1)
    Origin(line = Some(line + 1), startPosition = Some(offset - lineStart - pairsBefore))
  }

  /** Runs `body`, in which Spark's parser raises its errors at positions of the typed text. */
  def within[T](body: => T): T = {
    val outer = CurrentOrigin.get
    CurrentOrigin.withOrigin(outer.copy(
        sqlText = outer.sqlText.orElse(Some(typedText)), positionMapper = Some(mapper)))(body)
  }

  /**
   * Returns the edits that replace each parameter marker of the typed text by its value. Spark has
   * made the same substitutions in the lowered text, in which the markers stand as typed. A string
   * with `${` becomes two adjacent literals: Spark replaces `${name}` when it reads a view's text.
   */
  def values(parameters: PositionMapper): List[Substitution] =
    parameters.substitutions.sortBy(_.start).map { s =>
      val typed = ParameterLocation(start(s.start), stop(s.end - 1) + 1)
      Substitution(typed, s.replacement.replace("${", "$' '{"))
    }

  /** Adds the edits of `next`, whose typed text is `lowered`; edits that touch become one. */
  def andThen(next: SourceMap): SourceMap = {
    val unitMapper = new EditMapper(typedText, lowered, edits)
    val shifts = edits.scanLeft(0)((shift, e) => shift + e.replacement.length - (e.end - e.start))
    // ranges of `lowered` that either map has edited, with the edits of `next` in them
    val own = edits.zip(shifts).map { case (e, shift) =>
      (e.start + shift, e.start + shift + e.replacement.length, List.empty[Substitution])
    }
    val ranges = (own ++ next.edits.map(e => (e.start, e.end, List(e))))
      .sortBy { case (from, to, _) => (from, to) }
      .foldLeft(List.empty[(Int, Int, List[Substitution])]) {
        case ((from, to, inside) :: rest, (start, end, more)) if start <= to =>
          (from, math.max(to, end), more ++ inside) :: rest
        case (before, range) => range :: before
      }
    val combined = ranges.reverse.map { case (from, to, inside) =>
      val typed = ParameterLocation(unitMapper.mapToOriginal(from), unitMapper.mapToOriginal(to))
      Substitution(typed, SourceMap.replaced(lowered, inside.reverse, from, to))
    }
    new SourceMap(typedText, next.lowered, combined)
  }

  /** Returns the typed range [start, stop) of a range of the lowered text, in UTF-16 units. */
  def typedRange(from: Int, to: Int): (Int, Int) =
    (start(lowered.codePointCount(0, from)),
      if (to > from) stop(lowered.codePointCount(0, to) - 1) + 1
      else start(lowered.codePointCount(0, to)))

  /** Moves Spark's error on the lowered text to the typed text, if it has a position. */
  def toTyped(error: ParseException): ParseException =
    error.start.line.zip(error.start.startPosition).fold(error) { case (line, column) =>
      val at = start(SourceMap.offset(lowered, line, column))
      new ParseException(
        Some(typedText),
        place(at),
        error.getCondition,
        inTypedWords(error.getMessageParameters.asScala.toMap, at),
        error.getQueryContext.map(inTypedLines))
    }

  /** Sets the line and column of a context, in which Spark has mapped the offsets alone. */
  private def inTypedLines(context: QueryContext): QueryContext = context match {
    case sql: SQLQueryContext =>
      val at = place(sql.startIndex)
      sql.copy(line = at.line, startPosition = at.startPosition)
    case other => other
  }

  /**
   * Replaces the offending token in Spark's message by the user's word, if the lowering wrote the
   * token. Removes Spark's hint then, and also if it names a placeholder.
   */
  private def inTypedWords(parameters: Map[String, String], at: Int): Map[String, String] =
    parameters.get("error") match {
      case Some(token)
          if token.length > 2 && token.startsWith("'") &&
            !typedText.startsWith(token.substring(1, token.length - 1), at) =>
        val rest = typedText.substring(math.min(at, typedText.length))
        val word = "^\\s*(\\w+|\\S)".r.findFirstMatchIn(rest).map(m => s"'${m.group(1)}'")
        parameters ++ Map("error" -> word.getOrElse("end of input"), "hint" -> "")
      case Some(_) if parameters.get("hint").exists(_.contains(Placeholder.PREFIX)) =>
        parameters.updated("hint", "")
      case _ => parameters
    }
}

private[parser] object SourceMap {

  /** Returns a parse error at [start, stop) of the typed text; an empty range is not underlined. */
  def parseError(
      text: String, condition: String, parameters: Map[String, String], start: Int, stop: Int)
      : ParseException = {
    val at = new SourceMap(text, text, Nil).place(start)
    val range = at.copy(startIndex = Some(start), stopIndex = Some(stop - 1), sqlText = Some(text))
    new ParseException(Some(text), at, condition, parameters, range.getQueryContext)
  }

  /** Returns [start, stop) of a text with edits in it, which are in order and in UTF-16 units. */
  def replaced(text: String, edits: Seq[Substitution], start: Int, stop: Int): String = {
    val result = new StringBuilder
    val rest = edits.foldLeft(start) { (at, edit) =>
      result ++= text.substring(at, edit.start) ++= edit.replacement
      edit.end
    }
    (result ++= text.substring(rest, stop)).toString
  }

  /** Returns the offset, in code points, of a line (ended by `\n` only) and column of the lexer. */
  private def offset(text: String, line: Int, column: Int): Int =
    text.split("\n", line).take(line - 1).map(l => l.codePointCount(0, l.length) + 1).sum + column
}
