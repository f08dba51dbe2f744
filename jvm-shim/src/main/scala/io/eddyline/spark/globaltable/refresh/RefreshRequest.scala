package io.eddyline.spark.globaltable.refresh

import io.eddyline.spark.globaltable.version.Version

/** Who requests a refresh, which decides how long it may wait for complete files. */
private[globaltable] sealed trait RefreshRequest

private[globaltable] object RefreshRequest {

  /** The refresher, for which another turn can decide. */
  case object Background extends RefreshRequest

  /** A query that cannot wait for the refresher. */
  case object Query extends RefreshRequest

  /** A CREATE or REFRESH statement, whose author says that the source is complete. */
  case object User extends RefreshRequest
}

/** What a refresh has found. */
private[globaltable] sealed trait RefreshResult

private[globaltable] object RefreshResult {

  /**
   * The version equals the state of the source.
   *
   * @param since when the probe that found this state began, or an earlier one that found the state
   *              of a global table below, in ms since the epoch; None: none has found that
   */
  case class Confirmed(version: Version, since: Option[Long]) extends RefreshResult

  /** Another probe has to decide. */
  case object Undecided extends RefreshResult
}
