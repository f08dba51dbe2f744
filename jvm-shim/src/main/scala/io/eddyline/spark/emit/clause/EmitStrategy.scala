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

  private val all = Seq(OnChange, OnUpdate, OnWindowClose, Every)

  def named(name: String): Option[EmitStrategy] = all.find(_.name == name)
}
