package io.eddyline.spark.parser

import java.util.Arrays

import org.apache.spark.sql.catalyst.parser.{PositionMapper, Substitution}

/**
 * Spark's mapper of positions, with arrays. Spark's own appends each edit to a list and searches it
 * from the head, which takes minutes for a text with 100,000 edits.
 *
 * @param edits the edits that turn the typed into the lowered text, in order; a replacement counts
 *              one unit per character
 */
private[parser] class EditMapper(typed: String, lowered: String, edits: Seq[Substitution])
  extends PositionMapper(typed, lowered, Nil) {

  private val starts: Array[Int] = edits.map(_.start).toArray
  private val ends: Array[Int] = edits.map(_.end).toArray
  private val lengths: Array[Int] = edits.map(_.replacement.length).toArray

  /** The offset in the lowered text at which each edit begins. */
  private val loweredStarts: Array[Int] = {
    val shifts = edits.indices.scanLeft(0)((shift, i) => shift + lengths(i) - (ends(i) - starts(i)))
    edits.indices.map(i => starts(i) + shifts(i)).toArray
  }

  /** The typed offset of the character at `position` of the lowered text; in an edit, its start. */
  override def mapToOriginal(position: Int): Int = map(position, starts(_))

  /** The typed offset of that character's end, inclusive; in an edit, the end of the edit. */
  def mapLastToOriginal(position: Int): Int = map(position, ends(_) - 1)

  private def map(position: Int, ofEdit: Int => Int): Int = {
    val i = EditMapper.last(loweredStarts, position)
    if (i < 0) {
      position
    } else {
      val past = position - loweredStarts(i) - lengths(i)
      if (past < 0) ofEdit(i) else ends(i) + past
    }
  }
}

private[parser] object EditMapper {

  /** The index of the last value that is not above `limit`, or -1. */
  def last(sorted: Array[Int], limit: Int): Int = {
    var found = Arrays.binarySearch(sorted, limit)
    // the last of equal values: an insertion comes before the edit at the same offset
    while (found >= 0 && found + 1 < sorted.length && sorted(found + 1) == limit) found += 1
    if (found < 0) -found - 2 else found
  }
}
