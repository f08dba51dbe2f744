package io.eddyline.spark.globaltable.refresh

/** The status of a global table, as SHOW GLOBAL TABLES prints it. */
sealed abstract class TableStatus(val name: String)

object TableStatus {
  case object Loading extends TableStatus("LOADING")
  case object Ok extends TableStatus("OK")

  /** The current version was last confirmed longer ago than MAX STALENESS. */
  case object Stale extends TableStatus("STALE")

  /** The last refresh failed; queries get the previous version. */
  case object Failing extends TableStatus("FAILING")

  /** The table was not used for the idle timeout; its source is not probed until it is. */
  case object Suspended extends TableStatus("SUSPENDED")

  /** The catalog no longer has the table; running queries keep its last version. */
  case object Dropped extends TableStatus("DROPPED")
}
