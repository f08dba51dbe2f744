package io.eddyline.spark.parser

import scala.util.Random

import org.apache.spark.sql.catalyst.parser.{ParameterLocation, PositionMapper, Substitution}
import org.scalatest.funsuite.AnyFunSuite

class EditMapperSuite extends AnyFunSuite {

  private def edit(start: Int, end: Int, text: String): Substitution =
    Substitution(ParameterLocation(start, end), text)

  private def applied(typed: String, edits: Seq[Substitution]): String =
    edits.reverse.foldLeft(typed)((text, edit) =>
      text.patch(edit.start, edit.replacement,
        edit.end - edit.start))

  /** Returns edits in order, of which some touch each other. */
  private def drawn(random: Random, length: Int): List[Substitution] = {
    val bounds = Seq.fill(8)(random.nextInt(length)).distinct.sorted
    bounds.zip(bounds.drop(1)).filter(_ => random.nextBoolean()).map { case (start, end) =>
      edit(start, end, "x" * random.nextInt(3))
    }.toList
  }

  test("it maps every position as Spark's own mapper does") {
    val random = new Random(1)
    for (_ <- 1 to 500) {
      val typed = random.alphanumeric.take(30).mkString
      val edits = drawn(random, typed.length)
      val lowered = applied(typed, edits)
      val (ours, theirs) =
        (new EditMapper(typed, lowered, edits), PositionMapper(typed, lowered, edits))
      for (position <- 0 to lowered.length + 2) {
        assert(ours.mapToOriginal(position) == theirs.mapToOriginal(position),
          s"at $position of $lowered, from $typed by $edits")
      }
    }
  }

  test("a position in an edit begins and ends where the edit does") {
    val mapper = new EditMapper("abXYZcd", "ab12cd", Seq(edit(2, 5, "12")))
    assert((0 to 5).map(mapper.mapToOriginal) == Seq(0, 1, 2, 2, 5, 6))
    assert((0 to 5).map(mapper.mapLastToOriginal) == Seq(0, 1, 4, 4, 5, 6))
  }

  test("an insertion before an edit at the same offset takes its own characters alone") {
    val mapper = new EditMapper("abc", "a12xc", Seq(edit(1, 1, "12"), edit(1, 2, "x")))
    assert((0 to 4).map(mapper.mapToOriginal) == Seq(0, 1, 1, 1, 2))
  }

  test("a character of two units is one of Spark's lexer") {
    val map = new SourceMap("'😀' X 1", "'😀' YY 1", List(edit(5, 6, "YY")))
    assert(map.start(4) == 5 && map.stop(5) == 5 && map.start(7) == 7)
    assert(map.typedPart("YY 1") == "X 1")
    assert(map.place(7).startPosition.contains(6))
  }

  test("a carriage return ends no line of an error, with a line feed or without") {
    val (typed, lowered) = ("'a\rb😀'\r\n\nX ?", "'a\rb😀'\r\n\nYY ?")
    val map = new SourceMap(typed, lowered, List(edit(10, 11, "YY")))
    val error = SourceMap.parseError(
      lowered, "PARSE_SYNTAX_ERROR", Map("error" -> "'?'", "hint" -> ""), 13, 14)
    val start = map.toTyped(error).start
    assert(start.line.contains(3) && start.startPosition.contains(2))
  }

  test("a text with very many edits is mapped at once") {
    val edits = (0 until 100000).map(i => edit(2 * i, 2 * i + 1, "xyz"))
    val mapper = new EditMapper("ab" * 100000, "xyzb" * 100000, edits)
    assert((0 until 400000 by 4).forall(at => mapper.mapToOriginal(at) == at / 2))
  }
}
