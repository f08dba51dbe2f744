package io.eddyline.spark.assume.units

import scala.util.matching.Regex

import org.apache.hadoop.fs.Path

/** The number of the task that wrote a file, by the name that Spark gives it. */
private[assume] object PartNumber {
  private val NAME: Regex = """part-(\d{1,9})\D.*""".r

  def apply(path: String): Option[Int] = new Path(path).getName match {
    case NAME(number) => Some(number.toInt)
    case _ => None
  }
}
