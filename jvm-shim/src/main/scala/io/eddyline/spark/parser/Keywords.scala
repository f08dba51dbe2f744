package io.eddyline.spark.parser

import java.util.regex.Pattern

import scala.io.Source
import scala.util.Using

/** The words that can begin a clause of eddyline, as the build took them from `keywords.toml`. */
private[parser] object Keywords {

  val starting: Seq[String] = Using.resource(
    Source.fromInputStream(getClass.getResourceAsStream("/eddyline/keywords.txt"), "UTF-8"))(
    _.getLines().toIndexedSeq)

  private val anyOfThem = Pattern.compile(
    starting.map(Pattern.quote).mkString("\\b(?:", "|", ")\\b"), Pattern.CASE_INSENSITIVE)

  /** Whether a text that Spark refused is worth showing to the sidecar. */
  def mayStartClause(text: String): Boolean = anyOfThem.matcher(text).find()
}
