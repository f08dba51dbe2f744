package io.eddyline.spark.globaltable.catalog

/** What a global table does. */
sealed abstract class TableStatus(val name: String)

object TableStatus {
  case object Loading extends TableStatus("LOADING")
  case object Ok extends TableStatus("OK")

  /** Older than MAX STALENESS. */
  case object Stale extends TableStatus("STALE")

  /** The last attempt to refresh failed; the version before is served. */
  case object Failing extends TableStatus("FAILING")

  /** Not used for a while, so its source is not looked at until it is used again. */
  case object Suspended extends TableStatus("SUSPENDED")

  /** The catalog has it no more; queries that run keep its last version. */
  case object Dropped extends TableStatus("DROPPED")
}
