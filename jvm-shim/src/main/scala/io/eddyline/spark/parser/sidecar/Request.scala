package io.eddyline.spark.parser.sidecar

import java.nio.charset.StandardCharsets.UTF_8

/**
 * A text that is sent to the sidecar.
 *
 * @param doubleQuotedIdentifiers whether "x" is a name and not a string
 */
private[parser] case class Request(text: String, doubleQuotedIdentifiers: Boolean) {

  /** The content of the frame: a byte for the setting, 1 or 0, then the text in UTF-8. */
  def frame: Array[Byte] =
    (if (doubleQuotedIdentifiers) 1 else 0).toByte +: text.getBytes(UTF_8)
}
