package io.eddyline.spark.parser.sidecar

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.parser.{ParameterLocation, Substitution}

import io.eddyline.spark.base.{EddylineErrors, Json}

/** The sidecar's reply to a text. Offsets count UTF-16 units, as Java does. */
private[parser] sealed trait Reply {

  /** The typed text with each clause replaced by a query of the same length; None: no clause. */
  def masked: Option[String]
}

private[parser] object Reply extends Logging {

  /** The text contains no clause of eddyline. */
  case object Unchanged extends Reply {
    override def masked: Option[String] = None
  }

  /**
   * The text contains clauses, all of them valid.
   *
   * @param text the lowered text
   * @param edits the edits of the typed text that lead to it, in its order, without overlaps
   */
  case class Lowered(text: String, edits: List[Substitution], masked: Some[String]) extends Reply

  /** The text contains a clause of eddyline that is invalid at the offsets [start, stop). */
  case class Refused(
      condition: String,
      parameters: Map[String, String],
      start: Int,
      stop: Int,
      masked: Some[String])
    extends Reply

  /** Reads a reply. Errors: EDDYLINE_READER, if the sidecar failed with an unexpected exception. */
  def parse(json: String): Reply = {
    val node = Json.mapper.readTree(json)
    node.get("kind").asText match {
      case "unchanged" => Unchanged
      case "lowered" =>
        Lowered(
          node.get("text").asText,
          node.get("edits").elements.asScala.map(edit).toList,
          Some(node.get("masked").asText))
      case "refused" =>
        val parameters = node.get("parameters").properties.asScala
          .map(entry => entry.getKey -> entry.getValue.asText).toMap
        Refused(
          node.get("condition").asText,
          parameters,
          node.get("start").asInt,
          node.get("stop").asInt,
          Some(node.get("masked").asText))
      case "failed" =>
        logWarning(s"The sidecar cannot read a text\n${node.get("traceback").asText}")
        throw EddylineErrors.analysis("EDDYLINE_READER", Map("error" -> node.get("error").asText))
    }
  }

  private def edit(node: JsonNode): Substitution =
    Substitution(
      ParameterLocation(node.get("start").asInt, node.get("stop").asInt), node.get("text").asText)
}
