package io.eddyline.spark.emit.clause

/**
 * An option of ON CHANGE that decides what the state of EMIT holds.
 *
 * @param sql the option in SQL
 */
sealed abstract class EmitOption(val sql: String)

object EmitOption {

  /** Takes the rows of a key in an order of their own, whatever task they come from. */
  case object OrderBy extends EmitOption("ORDER BY")

  /** Removes the state of a key once its event time is old. */
  case object ExpireAfter extends EmitOption("EXPIRE AFTER")

  /** Removes the state of a key whose row fulfils a condition, but for its order value. */
  case object ApplyAsDelete extends EmitOption("APPLY AS DELETE")

  /** Ignores changes that are smaller than an amount. */
  case object Tolerance extends EmitOption("TOLERANCE")

  /** Emits an unchanged row again once its last emission is old. */
  case object Heartbeat extends EmitOption("HEARTBEAT")

  val ALL: Seq[EmitOption] = Seq(OrderBy, ExpireAfter, ApplyAsDelete, Tolerance, Heartbeat)
}
