package io.eddyline.spark.base

import scala.util.control.NonFatal

/**
 * Matches errors after which a thread of eddyline goes on: those of `NonFatal`, and of a class that
 * does not fit to the others, as in the jar of a catalog for another Spark, or that is nested too
 * deeply.
 */
private[spark] object Survivable {
  def unapply(error: Throwable): Option[Throwable] = error match {
    case NonFatal(_) | _: LinkageError | _: StackOverflowError => Some(error)
    case _ => None
  }
}
