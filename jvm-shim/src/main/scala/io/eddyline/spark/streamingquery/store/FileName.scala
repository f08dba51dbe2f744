package io.eddyline.spark.streamingquery.store

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

/**
 * Derives the names of checkpoint folders and definitions from the names of streaming queries.
 *
 * Query names are case-insensitive, so file names are in lower case: a file system may treat
 * `Rooms` and `rooms` as two folders or as one. Letters a to z, digits, `_` and `-` stand for
 * themselves; every other byte of the name in UTF-8 is written `%xx`, as Hive writes partition
 * values. So no name leads out of the root, and no two names share one.
 */
private[streamingquery] object FileName {

  /** The maximum length of a file name in bytes on most file systems, such as HDFS. */
  val MAX_BYTES = 255

  /** Returns the key that identifies a query: its name in lower case. */
  def key(name: String): String = name.toLowerCase(Locale.ROOT)

  /** Returns the file name for a query; None if it would be longer than [[MAX_BYTES]]. */
  def of(name: String): Option[String] = {
    val file = key(name).getBytes(UTF_8).map {
      case plain if isPlain(plain.toChar) => plain.toChar.toString
      case other => f"%%$other%02x"
    }.mkString
    Option.when(file.length <= MAX_BYTES)(file)
  }

  /** Returns the key of the query that has this file name; None if no query has it. */
  def keyOf(file: String): Option[String] =
    try Some(URLDecoder.decode(file, UTF_8)).filter(of(_).contains(file))
    catch { case _: IllegalArgumentException => None } // a `%` without two digits

  private def isPlain(c: Char): Boolean =
    c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
