package io.eddyline.spark

/**
 * The tab "Eddyline" in the UI of a running application: the events that the application posts, and
 * the listener that keeps what they say. The page is in `org.apache.spark.ui.eddyline`, since
 * Spark's classes for pages are private to Spark.
 */
package object ui
