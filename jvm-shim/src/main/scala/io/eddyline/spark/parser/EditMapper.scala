package io.eddyline.spark.parser

import java.util.Arrays

import org.apache.spark.sql.catalyst.parser.{PositionMapper, Substitution}

/**
 * Spark's mapper of places, over arrays. Spark's own appends each edit to a list and searches that
 * from its head, which takes minutes where a text has 100,000 edits.
 *
 * @param edits from the typed to the lowered text, in order; each character of a replacement
 *              counts as one
 */
private[parser] class EditMapper(typed: String, lowered: String, edits: Seq[Substitution])
  extends PositionMapper(typed, lowered, Nil) {

  private val starts: Array[Int] = edits.map(_.start).toArray
  private val ends: Array[Int] = edits.map(_.end).toArray
  private val lengths: Array[Int] = edits.map(_.replacement.length).toArray

  /** Where each edit begins in the lowered text. */
  private val loweredStarts: Array[Int] = {
    val shifts = edits.indices.scanLeft(0)((shift, i) => shift + lengths(i) - (ends(i) - starts(i)))
    edits.indices.map(i => starts(i) + shifts(i)).toArray
  }

  /** Where the character at `position` of the lowered text begins; of an edit, where it begins. */
  override def mapToOriginal(position: Int): Int = map(position, starts(_))

  /** Where it ends, inclusive; of an edit, where what it replaced ends. */
  def mapLastToOriginal(position: Int): Int = map(position, ends(_) - 1)

  private def map(position: Int, ofEdit: Int => Int): Int = {
    val i = EditMapper.last(loweredStarts, position)
    if (i < 0) {
      position
    } else {
      val behind = position - loweredStarts(i) - lengths(i)
      if (behind < 0) ofEdit(i) else ends(i) + behind
    }
  }
}

private[parser] object EditMapper {

  /** The index of the last value that is not above `limit`, or -1. */
  def last(sorted: Array[Int], limit: Int): Int =
    // of equal values the last: an insertion stands before the edit at its place
    if (limit == Int.MaxValue) sorted.length - 1 else insertion(sorted, limit + 1) - 1

  /** How many values are below `limit`. */
  private def insertion(sorted: Array[Int], limit: Int): Int = {
    var found = Arrays.binarySearch(sorted, limit)
    while (found > 0 && sorted(found - 1) == limit) found -= 1
    if (found < 0) -found - 1 else found
  }
}
