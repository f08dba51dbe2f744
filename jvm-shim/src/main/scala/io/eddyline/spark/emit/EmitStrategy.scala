package io.eddyline.spark.emit

/** When rows are reported (KIP-557, "Reporting Strategies"). */
sealed abstract class EmitStrategy(val name: String, val sql: String)

object EmitStrategy {
  /** Rows that differ from what was reported before. */
  case object OnChange extends EmitStrategy("change", "ON CHANGE")

  /** Every row that an input touched: Spark's output mode Update. */
  case object OnUpdate extends EmitStrategy("update", "ON UPDATE")

  /** Each window once, when the watermark has passed its end: Spark's output mode Append. */
  case object OnWindowClose extends EmitStrategy("window", "ON WINDOW CLOSE")

  /** What was touched, or in Complete mode everything, at a fixed pace. */
  case object Every extends EmitStrategy("every", "EVERY")

  private val all = Seq(OnChange, OnUpdate, OnWindowClose, Every)

  def named(name: String): Option[EmitStrategy] = all.find(_.name == name)
}
