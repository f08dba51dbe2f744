package io.eddyline.spark

/** Text as SQL. */
private[spark] object SqlText {

  /** A string literal of it. */
  def literal(text: String): String =
    s"'${text.replace("\\", "\\\\").replace("'", "\\'")}'"
}
