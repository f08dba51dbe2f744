package io.eddyline.spark.globaltable.catalog

import io.eddyline.spark.kafka.TopicTable

/** The format of a global table over a topic. */
private[globaltable] object TopicFormat {

  /** As the catalog has it. */
  val STORED = "eddyline_kafka"

  /** Returns the format as the user wrote it. */
  def asTyped(stored: String): String = if (stored == STORED) TopicTable.FORMAT else stored
}
