package io.eddyline.spark.streamingquery

/**
 * What a statement does to an existing query.
 *
 * @param word the word for it in the placeholder
 */
sealed abstract class ControlAction(val word: String)

object ControlAction {
  case object Start extends ControlAction("start")
  case object Stop extends ControlAction("stop")
  case object Restart extends ControlAction("restart")
  case object Drop extends ControlAction("drop")
  case object DropIfExists extends ControlAction("drop_if_exists")

  /** The action of a word; None if there is none, as in a placeholder that was typed by hand. */
  def of(word: String): Option[ControlAction] =
    Seq(Start, Stop, Restart, Drop, DropIfExists).find(_.word == word)
}
