package io.eddyline.spark.assume.check

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType

import io.eddyline.spark.assume.units.{FileVersion, TryKey}

/**
 * A key and a file in which a task has read it.
 *
 * @param key the values of the key as text, such as `(1, a)`
 * @param uri the URI of the file, percent-encoded
 */
private[assume] case class KeyLocation(key: String, uri: String) {

  /** The file among `files`; None if it is not one of them. */
  def file(files: Seq[FileVersion]): Option[FileVersion] = {
    val path = new Path(new URI(uri)).toString
    files.find(_.path == path)
  }
}

private[assume] object KeyLocation {

  /** Returns the columns that [[of]] expects at the end of a row: the keys as text, and the URI. */
  def fields(keys: Seq[Expression]): Seq[NamedExpression] =
    keys.map { key =>
      Alias(TryKey.of(Seq(key), Cast(key, StringType, Some("UTC"))), "text")()
    } :+
      Alias(InputFileName(), "uri")()

  /** Reads a location from the last columns of a row; `count` is the number of key columns. */
  def of(row: InternalRow, count: Int): KeyLocation = {
    val first = row.numFields - count - 1
    val texts = (first until first + count).map { i =>
      if (row.isNullAt(i)) "NULL" else row.getUTF8String(i).toString
    }
    KeyLocation(texts.mkString("(", ", ", ")"), row.getUTF8String(first + count).toString)
  }
}
