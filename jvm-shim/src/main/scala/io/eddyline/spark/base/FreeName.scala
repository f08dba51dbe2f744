package io.eddyline.spark.base

/** Finds names for columns that are added to those of a user, which may have any name. */
private[spark] object FreeName {

  /** Returns a name that no column has in any case: `name`, if need be with `_` at its end. */
  def of(name: String, columns: Seq[String]): String =
    Iterator.iterate(name)(_ + "_").find(free => !columns.exists(_.equalsIgnoreCase(free))).get
}
