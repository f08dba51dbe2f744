package io.eddyline.spark.parser.view

import java.util.Locale

import io.eddyline.spark.placeholder.Placeholder

/**
 * The text of a view that contains a clause, as the catalog stores it: the lowered query, so that
 * the view needs no Python, and after it the typed query as a comment. So both change together,
 * whichever statement writes the view, and whoever reads it by DESCRIBE sees what was typed.
 */
private[parser] object ViewText {
  private val HEADING = "\n-- as typed:\n"
  private val COMMENT = "-- "
  private val LINE_BREAK = "(\r\n|\r|\n)"

  /** Returns the text to store for a query. */
  def stored(lowered: String, typed: String): String =
    if (lowered == typed) lowered
    else lowered + HEADING + COMMENT + typed.replaceAll(LINE_BREAK, s"$$1$COMMENT") + "\n"

  /**
   * Returns the typed query of a stored text; the text itself if it has none. A user may have
   * written such a comment, too, but not below a placeholder.
   */
  def asTyped(stored: String): String = stored.lastIndexOf(HEADING) match {
    case -1 => stored
    case _ if !stored.toLowerCase(Locale.ROOT).contains(Placeholder.PREFIX) => stored
    case at =>
      stored.substring(at + HEADING.length).stripPrefix(COMMENT).stripSuffix("\n")
        .replaceAll(LINE_BREAK + COMMENT, "$1")
  }
}
