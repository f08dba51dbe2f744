package io.eddyline.spark.streamingquery

/** The status of a streaming query, as SHOW STREAMING QUERIES prints it. */
sealed abstract class QueryStatus(val name: String)

object QueryStatus {
  case object Running extends QueryStatus("RUNNING")

  /** STOP has ended it, or it has not started yet. */
  case object Stopped extends QueryStatus("STOPPED")

  /** It ended with an error. */
  case object Failed extends QueryStatus("FAILED")

  /** It is persistent, and another application runs it. */
  case object Standby extends QueryStatus("STANDBY")

  /** It has read all available input (TRIGGER AVAILABLE NOW) and ended. */
  case object Finished extends QueryStatus("FINISHED")
}
