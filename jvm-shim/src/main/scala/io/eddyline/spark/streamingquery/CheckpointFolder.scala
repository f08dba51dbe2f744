package io.eddyline.spark.streamingquery

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

/**
 * The names of streaming queries, and of the folders that hold their checkpoints.
 *
 * The case of a name does not matter, so it does not matter to the folder either: a file system may
 * see `Rooms` and `rooms` as two folders or as one. Letters a to z, digits, `_` and `-` stand for
 * themselves; every other byte of the name in UTF-8 is written `%xx`, as Hive writes the values of
 * partitions. So no name leaves the root, and no two names share a folder.
 */
private[streamingquery] object CheckpointFolder {
  /** The longest name of a folder in bytes on most file systems, HDFS among them. */
  val MAX_BYTES = 255

  /** What identifies a query: its name without its case. */
  def key(name: String): String = name.toLowerCase(Locale.ROOT)

  /** None if it would be longer than a folder's name may be. */
  def of(name: String): Option[String] = {
    val folder = key(name).getBytes(UTF_8).map {
      case plain if isPlain(plain.toChar) => plain.toChar.toString
      case other => f"%%$other%02x"
    }.mkString
    Option.when(folder.length <= MAX_BYTES)(folder)
  }

  private def isPlain(c: Char): Boolean =
    c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
