package io.eddyline.spark.placeholder

import scala.io.Source
import scala.util.Using

/** The arguments of the placeholders with the words of the clause, from `placeholders.toml`. */
object ArgumentWords {
  private val lines: Seq[Array[String]] = Using.resource(
    Source.fromInputStream(getClass.getResourceAsStream("/eddyline/placeholders.txt"), "UTF-8"))(
    _.getLines().map(_.split(" ", 3)).toSeq)

  /** Returns the words by argument; they are empty where the value says all. */
  def of(function: String): Map[String, String] =
    lines.collect { case Array(`function`, name, words) => name -> words }.toMap
}
