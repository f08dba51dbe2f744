package io.eddyline.spark

import scala.annotation.meta.getter

import org.apache.spark.util.kvstore.KVIndex

/**
 * What the tab "Eddyline" of Spark's UI shows: the events that the application posts and its event
 * log keeps, the entities that a listener makes of them, and the reading of these. The pages are in
 * `org.apache.spark.ui.eddyline`, the JSON endpoints in `org.apache.spark.status.api.v1.eddyline`,
 * since Spark's classes for both are private to Spark.
 */
package object ui {

  /** Marks a parameter of a constructor as the key of an entity. */
  private[ui] type KVIndexParam = KVIndex @getter
}
