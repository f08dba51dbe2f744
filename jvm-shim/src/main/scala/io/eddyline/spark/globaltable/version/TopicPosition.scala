package io.eddyline.spark.globaltable.version

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
