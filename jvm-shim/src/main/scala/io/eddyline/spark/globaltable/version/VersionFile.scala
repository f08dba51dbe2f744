package io.eddyline.spark.globaltable.version

import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode

import io.eddyline.spark.base.Json

/** Reads and writes the description of a snapshot: a small JSON file in its folder. */
private[globaltable] object VersionFile {

  /** The name of the file; readers of Parquet ignore names that begin with an underscore. */
  val NAME = "_eddyline.json"

  def write(version: Version): Array[Byte] = {
    val node = Json.mapper.createObjectNode()
      .put("name", version.name)
      .put("number", version.number)
      .put("fingerprint", version.fingerprint)
      .put("nullKeys", version.nullKeys)
      .put("successMarkers", version.successMarkers)
    version.rows.foreach(node.put("rows", _))
    version.bytes.foreach(node.put("bytes", _))
    version.content.foreach(node.put("content", _))
    version.base.foreach(node.put("base", _))
    version.topic.foreach { topic =>
      node.put("offsets", topic.offsets).put("malformed", topic.malformed)
        .put("since", topic.since)
      topic.topicId.foreach(node.put("topicId", _))
    }
    Json.mapper.writeValueAsBytes(node)
  }

  /** Reads a description; None if it is incomplete. */
  def read(bytes: Array[Byte]): Option[Version] =
    Try(Json.mapper.readTree(bytes)).toOption.filter(_.hasNonNull("name")).map(read)

  private def read(node: JsonNode): Version = {
    def long(name: String): Option[Long] = Option(node.get(name)).map(_.longValue)
    def text(name: String): Option[String] = Option(node.get(name)).map(_.textValue)
    Version(
      node.get("name").textValue,
      node.get("number").longValue,
      node.get("fingerprint").textValue,
      long("rows"),
      long("bytes"),
      long("nullKeys").getOrElse(0L),
      Option(node.get("successMarkers")).orElse(Option(node.get("gates"))).fold(0)(_.intValue),
      text("content"),
      text("base"),
      text("offsets").map(TopicPosition(
          _, long("malformed").getOrElse(0L), long("since").getOrElse(0L), text("topicId"))))
  }
}
