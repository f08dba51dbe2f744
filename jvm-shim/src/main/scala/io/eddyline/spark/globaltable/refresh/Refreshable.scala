package io.eddyline.spark.globaltable.refresh

import java.time.Duration

/** A table that the refresher calls repeatedly. */
private[globaltable] trait Refreshable {

  /** Takes one turn, which probes the source and copies nothing. */
  private[globaltable] def tick(): Turn

  /** Copies the source. */
  private[globaltable] def copy(): Unit

  /** The time until the next turn. */
  private[globaltable] def nextTick: Duration

  private[globaltable] def failed(error: Throwable): Unit
}

/** What follows a turn. */
private[globaltable] sealed trait Turn

private[globaltable] object Turn {
  case object Again extends Turn
  case object Copy extends Turn
  case object Last extends Turn
}
