package io.eddyline.spark.parser

import scala.jdk.CollectionConverters._

import org.apache.spark.QueryContext
import org.apache.spark.sql.catalyst.parser.{ParameterLocation, ParseException, PositionMapper}
import org.apache.spark.sql.catalyst.parser.Substitution
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin, SQLQueryContext}

import io.eddyline.spark.placeholder.Placeholder

/**
 * Maps positions in a lowered text to the text as typed.
 *
 * Spark's lexer counts code points, but Spark cuts the fragment of an error's context out of the
 * text by UTF-16 units. So this maps code points to units: a character of two units counts as an
 * edit whose replacement has length 1.
 *
 * @param typedText the text as typed
 * @param lowered the text that Spark parses
 * @param edits the edits that turn the typed text into `lowered`, in order, in its UTF-16 units
 */
private[parser] class SourceMap(
    val typedText: String, val lowered: String, private val edits: List[Substitution]) {

  /** The typed offsets of the characters that take two UTF-16 units. */
  private val pairs: Array[Int] = typedText.indices
    .filter(i => Character.isHighSurrogate(typedText.charAt(i)) && i + 1 < typedText.length).toArray

  private val lineStarts: Array[Int] =
    0 +: typedText.indices.filter(typedText.charAt(_) == '\n').map(_ + 1).toArray

  /** The mapper for the errors that Spark's parser raises. */
  val mapper: EditMapper = {
    val edited = new java.util.BitSet
    edits.foreach(edit => edited.set(edit.start, edit.end))
    val untouched = pairs.toSeq.filterNot(edited.get(_))
      .map(i => Substitution(ParameterLocation(i, i + 2), "?"))
    val ofOneUnit = edits.map(e => e.copy(replacement = oneUnitEach(e.replacement)))
    new EditMapper(typedText, lowered, (ofOneUnit ++ untouched).sortBy(_.start))
  }

  /** The typed offset at which the code point at `offset` of the lowered text begins. */
  def start(offset: Int): Int = mapper.mapToOriginal(offset)

  /** The typed offset at which it ends, inclusive; in an edit, the end of the edit. */
  def stop(offset: Int): Int = mapper.mapLastToOriginal(offset)

  /** Returns what was typed for a part of the lowered text. */
  def typedPart(part: String): String = lowered.indexOf(part) match {
    case -1 => part
    case at =>
      val first = lowered.codePointCount(0, at)
      val last = lowered.codePointCount(0, at + part.length) - 1
      typedText.substring(start(first), stop(last) + 1)
  }

  /** Returns the line and column, as Spark counts them, of a typed offset. */
  def place(at: Int): Origin = {
    val offset = math.min(math.max(at, 0), typedText.length)
    val line = EditMapper.last(lineStarts, offset)
    val before = lineStarts(line)
    val pairsBetween = EditMapper.last(pairs, offset - 1) - EditMapper.last(pairs, before - 1)
    Origin(line = Some(line + 1), startPosition = Some(offset - before - pairsBetween))
  }

  /** Runs `body`, in which Spark's parser raises its errors at positions of the typed text. */
  def within[T](body: => T): T = {
    val outer = CurrentOrigin.get
    CurrentOrigin.withOrigin(outer.copy(
        sqlText = outer.sqlText.orElse(Some(typedText)), positionMapper = Some(mapper)))(body)
  }

  /**
   * Returns what replaces the parameter markers of the typed text, for the substitutions that Spark
   * has made in the lowered text. Each marker stands there as typed.
   */
  def values(parameters: PositionMapper): List[Substitution] =
    parameters.substitutions.sortBy(_.start).map { s =>
      val typed = ParameterLocation(start(s.start), stop(s.end - 1) + 1)
      Substitution(typed, SourceMap.asStored(s.replacement))
    }

  /** Combines this map with `next`, from its lowered text on; edits that touch become one. */
  def andThen(next: SourceMap): SourceMap = {
    val units = new EditMapper(typedText, lowered, edits)
    val ends = edits.scanLeft(0)((shift, e) => shift + e.replacement.length - (e.end - e.start))
    val own = edits.zip(ends).map { case (e, shift) =>
      (e.start + shift, e.start + shift + e.replacement.length, List.empty[Substitution])
    }
    val touching = (own ++ next.edits.map(e => (e.start, e.end, List(e))))
      .sortBy { case (from, to, _) => (from, to) }
      .foldLeft(List.empty[(Int, Int, List[Substitution])]) {
        case ((from, to, found) :: rest, (start, end, more)) if start <= to =>
          (from, math.max(to, end), more ++ found) :: rest
        case (before, range) => range :: before
      }
    val combined = touching.reverse.map { case (from, to, found) =>
      val typed = ParameterLocation(units.mapToOriginal(from), units.mapToOriginal(to))
      Substitution(typed, SourceMap.replaced(lowered, found.reverse, from, to))
    }
    new SourceMap(typedText, next.lowered, combined)
  }

  /** Returns the typed range [start, stop) of a range of the lowered text, in UTF-16 units. */
  def typedRange(from: Int, to: Int): (Int, Int) =
    (start(lowered.codePointCount(0, from)),
      if (to > from) stop(lowered.codePointCount(0, to) - 1) + 1
      else start(lowered.codePointCount(0, to)))

  /** Spark's error on the lowered text, moved to the typed text. */
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

  /** Corrects the line and column of a context, of which Spark maps only the offsets. */
  private def inTypedLines(context: QueryContext): QueryContext = context match {
    case sql: SQLQueryContext =>
      val at = place(sql.startIndex)
      sql.copy(line = at.line, startPosition = at.startPosition)
    case other => other
  }

  /**
   * Replaces the offending token in Spark's message by the user's word, if the lowering wrote the
   * token, and removes Spark's hint, which does not apply then.
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

  private def oneUnitEach(text: String): String =
    text.codePoints.toArray.map(c => if (Character.isBmpCodePoint(c)) c.toChar else '?').mkString
}

private[parser] object SourceMap {

  /** Returns a parse error at [start, stop) of the typed text; an empty range is not underlined. */
  def parseError(
      text: String,
      condition: String,
      parameters: Map[String, String],
      start: Int,
      stop: Int): ParseException = {
    val at = new SourceMap(text, text, Nil).place(start)
    val range =
      at.copy(startIndex = Some(start), stopIndex = Some(stop - 1), sqlText = Some(text))
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

  /**
   * Returns the SQL of a parameter's value without `${`, in which Spark would replace a variable
   * whenever it reads the text of a view: such a string becomes two adjacent literals.
   */
  private def asStored(value: String): String = value.replace("${", "$' '{")

  /**
   * Returns the offset, in code points, of a line and column of Spark's lexer, for which a line
   * feed alone ends a line.
   */
  private def offset(text: String, line: Int, column: Int): Int =
    text.split("\n", line).take(line - 1).map(l => l.codePointCount(0, l.length) + 1).sum + column
}
