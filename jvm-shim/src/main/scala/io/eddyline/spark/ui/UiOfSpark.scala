package io.eddyline.spark.ui

import org.apache.spark.internal.Logging

/** Spark's own UI, to whose inside the tab links. */
object UiOfSpark extends Logging {

  /** Evaluates what links to it. If it has changed, there is no tab: the clauses need none. */
  def isPresent(tab: => Boolean): Boolean =
    try tab
    catch {
      case changed: LinkageError =>
        logWarning(
          "This Spark has another UI than eddyline knows, so there is no tab Eddyline and " +
            "no events for it.", changed)
        false
    }
}
