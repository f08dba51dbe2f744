package io.eddyline.spark.assume.units

import scala.util.matching.Regex

import org.apache.hadoop.fs.Path

/** Reads the part number from the name that Spark gives a file: the number of the writing task. */
private[assume] object PartNumber {
  private val NAME: Regex = """part-(\d{1,9})\D.*""".r

  /** The part number of a file; None if its name has none. */
  def apply(path: String): Option[Int] = new Path(path).getName match {
    case NAME(number) => Some(number.toInt)
    case _ => None
  }
}
