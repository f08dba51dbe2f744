package io.eddyline.spark.base

/** Writes values as SQL. */
private[spark] object SqlText {

  /** Returns the text as a string literal. */
  def literal(text: String): String =
    s"'${text.replace("\\", "\\\\").replace("'", "\\'")}'"
}
