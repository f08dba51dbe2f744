package io.eddyline.spark.base

/** Names for columns that are put beside those of a user, which may have any name. */
private[spark] object FreeName {

  /** Returns a name, or a longer one if one of the columns has it, in letters of any case. */
  def of(name: String, columns: Seq[String]): String =
    Iterator.iterate(name)(_ + "_").find(free => !columns.exists(_.equalsIgnoreCase(free))).get
}
