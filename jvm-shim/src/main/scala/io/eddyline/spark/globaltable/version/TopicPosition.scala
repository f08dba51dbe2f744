package io.eddyline.spark.globaltable.version

/**
 * How far a topic was read.
 *
 * @param offsets the offsets of the next records, as JSON
 * @param malformed number of records until there that could not be read
 * @param since when the topic was asked for these offsets, in milliseconds since 1970
 */
case class TopicPosition(offsets: String, malformed: Long, since: Long)
