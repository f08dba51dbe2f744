package io.eddyline.spark.streamingquery.store

import java.util.Locale

import org.apache.hadoop.fs.Path

/**
 * Object stores: two applications may both create a file there, and a folder is renamed file by
 * file.
 */
private[streamingquery] object ObjectStores {
  private val SCHEMES = Set(
    "s3", "s3a", "s3n", "gs", "wasb", "wasbs", "oss", "cos", "cosn", "obs", "bos", "swift")

  /** Whether a qualified path is in one. */
  def isOne(path: Path): Boolean = SCHEMES(path.toUri.getScheme.toLowerCase(Locale.ROOT))
}
