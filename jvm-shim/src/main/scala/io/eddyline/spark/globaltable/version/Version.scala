package io.eddyline.spark.globaltable.version

import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode

import io.eddyline.spark.base.Json

/**
 * One immutable state of a global table.
 *
 * @param name number and fingerprint of a snapshot, or the name of the version in its catalog
 * @param number number of the snapshot, counted from 1; 0 for a version of the catalog
 * @param fingerprint digest of the source's state, or of all rows if the state does not tell; a
 *                    source with the same one has the same rows
 * @param rows number of rows; None if they were not counted
 * @param bytes size of the snapshot's files and those of its base; None for a version of the
 *              catalog
 * @param nullKeys number of rows that were dropped because of a NULL in the primary key
 * @param successMarkers number of folders of the source that had a `_SUCCESS`
 * @param folders number of folders of the source that had files; 0 if that is not known
 * @param content hash of all rows; None if they were not read
 * @param base name of the version whose rows the snapshot changes; None: it has all rows itself
 * @param topic how far a topic was read; None: the source is no topic
 */
case class Version(
    name: String,
    number: Long,
    fingerprint: String,
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    nullKeys: Long = 0,
    successMarkers: Int = 0,
    content: Option[String] = None,
    base: Option[String] = None,
    topic: Option[TopicPosition] = None,
    folders: Int = 0) {

  /** Whether the catalog keeps this version, so that it has no snapshot. */
  def isOfCatalog: Boolean = number == 0

  /** Whether `other` has the same source state and the same rows. */
  def hasRowsOf(other: Version): Boolean =
    fingerprint == other.fingerprint && content == other.content
}

/** The number of times that a table got a new version, and of refreshes that failed. */
case class RefreshCounts(refreshes: Long, failures: Long)

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
      .put("folders", version.folders)
    version.rows.foreach(node.put("rows", _))
    version.bytes.foreach(node.put("bytes", _))
    version.content.foreach(node.put("content", _))
    version.base.foreach(node.put("base", _))
    version.topic.foreach { topic =>
      node.put("offsets", topic.offsets).put("malformed", topic.malformed).put("since", topic.since)
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
      Option(node.get("successMarkers")).fold(0)(_.intValue),
      text("content"),
      text("base"),
      text("offsets").map(TopicPosition(
          _, long("malformed").getOrElse(0L), long("since").getOrElse(0L), text("topicId"))),
      Option(node.get("folders")).fold(0)(_.intValue))
  }
}

/**
 * How far a topic was read.
 *
 * @param offsets the offsets of the next records, as JSON
 * @param malformed number of records until there that could not be read
 * @param since when the topic was asked for these offsets, in milliseconds since 1970
 * @param topicId what tells the topic from others of its name; None: the broker did not say
 */
case class TopicPosition(
    offsets: String, malformed: Long, since: Long, topicId: Option[String] = None) {

  /** Whether it can be a position in the topic of this id. */
  def isOf(id: Option[String]): Boolean = topicId.isEmpty || id.isEmpty || topicId == id
}
