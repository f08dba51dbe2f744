package io.eddyline.spark.parser

import java.nio.charset.StandardCharsets.UTF_8

/**
 * A text for the sidecar.
 *
 * @param doubleQuotedIdentifiers whether "x" is a name, and no string
 */
private[parser] case class Request(text: String, doubleQuotedIdentifiers: Boolean) {

  /** The frame: a byte for the setting, 1 or 0, and the text. */
  def frame: Array[Byte] =
    (if (doubleQuotedIdentifiers) 1 else 0).toByte +: text.getBytes(UTF_8)
}
