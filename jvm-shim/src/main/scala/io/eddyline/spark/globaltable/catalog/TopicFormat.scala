package io.eddyline.spark.globaltable.catalog

/** The format of a global table over a topic. */
private[globaltable] object TopicFormat {

  /** As the user writes it, and the name of Spark's Kafka source. */
  val TYPED = "kafka"

  /** As the catalog has it. */
  val STORED = "eddyline_kafka"

  /** Returns the format as the user wrote it. */
  def typed(stored: String): String = if (stored == STORED) TYPED else stored
}
