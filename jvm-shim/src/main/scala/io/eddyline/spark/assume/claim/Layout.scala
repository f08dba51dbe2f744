package io.eddyline.spark.assume.claim

import java.util.Locale

/**
 * How a claim says that its units are numbered: by the part number in the names of their files.
 *
 * @param name the name of the layout, whose claims all number their units alike; None if unnamed
 * @param size the number of units, including those without a file; None if it is not given
 * @param hashed whether the number of a row's unit is its partition in Spark's hash partitioning
 */
case class Layout(
    name: Option[String] = None, size: Option[Int] = None, hashed: Boolean = false) {

  /** The name in lower case: claims with equal ids belong to one layout. */
  def id: Option[String] = name.map(_.toLowerCase(Locale.ROOT))

  def isNumbered: Boolean = name.isDefined || size.isDefined

  /** The layout as written in the clause, with a leading blank; empty if there is none. */
  def sql: String =
    name.fold("")(n => s" LAYOUT $n") + size.fold("")(n => s" INTO $n PARTITIONS") +
      (if (hashed) " USING HASH SPARK" else "")
}

object Layout {

  /** No layout: every file is a unit of its own. */
  val Unnumbered: Layout = Layout()
}
