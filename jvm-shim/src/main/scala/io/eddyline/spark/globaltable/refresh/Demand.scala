package io.eddyline.spark.globaltable.refresh

/** Who asks for a refresh. */
private[globaltable] sealed trait Demand

private[globaltable] object Demand {
  /** The refresher: it can look twice before it takes what it sees. */
  case object Background extends Demand

  /** A query that cannot wait for the refresher. */
  case object Query extends Demand

  /** CREATE or REFRESH: whoever writes it says that the source is complete. */
  case object User extends Demand
}
