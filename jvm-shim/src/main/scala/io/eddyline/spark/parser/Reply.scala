package io.eddyline.spark.parser

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import org.apache.spark.sql.catalyst.parser.{ParameterLocation, Substitution}

/** What the sidecar says of a text. Offsets count UTF-16 units, as Java does. */
private[parser] sealed trait Reply {

  /** The typed text with each clause blanked out to a query of the same length, if it has one. */
  def masked: Option[String]
}

private[parser] object Reply {

  /** The text holds no clause of ours. */
  case object Unchanged extends Reply {
    override def masked: Option[String] = None
  }

  /**
   * @param text the lowered text
   * @param edits how it came about, in the order of the typed text, never overlapping
   */
  case class Lowered(text: String, edits: List[Substitution], masked: Some[String]) extends Reply

  /** The text holds a clause of ours that is wrong at [start, stop). */
  case class Refused(
      condition: String,
      parameters: Map[String, String],
      start: Int,
      stop: Int,
      masked: Some[String]) extends Reply

  private val mapper = new ObjectMapper

  def parse(json: String): Reply = {
    val node = mapper.readTree(json)
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
    }
  }

  private def edit(node: JsonNode): Substitution =
    Substitution(
      ParameterLocation(node.get("start").asInt, node.get("stop").asInt), node.get("text").asText)
}
