package io.eddyline.spark.emit.clause

/**
 * When a streaming query reports rows (KIP-557, "Reporting Strategies").
 *
 * @param name the strategy in the placeholder
 * @param sql the strategy in SQL
 */
sealed abstract class EmitStrategy(val name: String, val sql: String)

object EmitStrategy {

  /** Reports rows that differ from what was reported before. */
  case object OnChange extends EmitStrategy("change", "ON CHANGE")

  /** Reports every row that an input row updated: Spark's output mode Update. */
  case object OnUpdate extends EmitStrategy("update", "ON UPDATE")

  /** Reports each window once, after the watermark has passed its end: output mode Append. */
  case object OnWindowClose extends EmitStrategy("window", "ON WINDOW CLOSE")

  /** Reports updated rows, or in Complete mode all rows, at a fixed interval. */
  case object Every extends EmitStrategy("every", "EVERY")

  def byName(name: String): Option[EmitStrategy] =
    Seq(OnChange, OnUpdate, OnWindowClose, Every).find(_.name == name)
}

/**
 * An option of ON CHANGE that decides what is in the state of EMIT.
 *
 * @param sql the option in SQL
 */
sealed abstract class EmitOption(val sql: String)

object EmitOption {

  /** Takes the rows of a key in the order of an expression, and drops older ones. */
  case object OrderBy extends EmitOption("ORDER BY")

  /** Removes the state of a key once its event time is old. */
  case object ExpireAfter extends EmitOption("EXPIRE AFTER")

  /** Removes the state of a key whose row fulfils a condition, except its value of ORDER BY. */
  case object ApplyAsDelete extends EmitOption("APPLY AS DELETE")

  /** Ignores changes that are smaller than an amount. */
  case object Tolerance extends EmitOption("TOLERANCE")

  /** Emits an unchanged row again once its last emission is old. */
  case object Heartbeat extends EmitOption("HEARTBEAT")

  val ALL: Seq[EmitOption] = Seq(OrderBy, ExpireAfter, ApplyAsDelete, Tolerance, Heartbeat)
}
