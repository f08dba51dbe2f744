package io.eddyline.spark.assume

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType

/**
 * A key, as a user writes it, and where a task has read it.
 *
 * @param uri of the file
 */
private[assume] case class KeyPlace(key: String, uri: String) {

  /** The file, if it is among those that were listed. */
  def file(files: Seq[FileVersion]): Option[FileVersion] = {
    val path = new Path(new URI(uri)).toString
    files.find(_.path == path)
  }
}

private[assume] object KeyPlace {

  /** What [[of]] needs of a row. */
  def fields(keys: Seq[Expression]): Seq[NamedExpression] =
    keys.map { key =>
      Alias(KeyOrNull.of(Seq(key), Cast(key, StringType, Some("UTC"))), "text")()
    } :+
      Alias(InputFileName(), "uri")()

  /** Of a row that ends with the fields. */
  def of(row: InternalRow, count: Int): KeyPlace = {
    val first = row.numFields - count - 1
    val texts = (first until first + count).map { i =>
      if (row.isNullAt(i)) "NULL" else row.getUTF8String(i).toString
    }
    KeyPlace(texts.mkString("(", ", ", ")"), row.getUTF8String(first + count).toString)
  }
}
