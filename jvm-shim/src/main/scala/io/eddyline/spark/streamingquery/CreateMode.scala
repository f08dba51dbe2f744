package io.eddyline.spark.streamingquery

/**
 * What CREATE STREAMING QUERY does if the query exists.
 *
 * @param replaces whether it replaces it
 * @param resets whether the new query begins without the state in the checkpoint
 */
sealed abstract class CreateMode(val replaces: Boolean, val resets: Boolean)

object CreateMode {
  case object New extends CreateMode(replaces = false, resets = false)
  case object IfNotExists extends CreateMode(replaces = false, resets = false)
  case class OrReplace(resetsCheckpoint: Boolean)
    extends CreateMode(replaces = true, resets = resetsCheckpoint)
}
