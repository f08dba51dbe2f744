package io.eddyline.spark.globaltable.refresh

/** Who requests a refresh, which decides how long it may wait for complete files. */
private[globaltable] sealed trait Demand

private[globaltable] object Demand {

  /** The refresher: it can probe the source twice before it takes its files. */
  case object Background extends Demand

  /** A query that cannot wait for the refresher. */
  case object Query extends Demand

  /** A CREATE or REFRESH statement, whose author says that the source is complete. */
  case object User extends Demand
}
