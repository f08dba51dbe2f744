package io.eddyline.spark

/**
 * What the tab "Eddyline" of the UI of a running application shows: the events that the application
 * posts, and the listener that gathers them. The page is in `org.apache.spark.ui.eddyline`, since
 * Spark's classes for pages are private to Spark.
 */
package object ui
