package org.apache.spark.sql.execution.joins.eddyline

import org.apache.spark.SparkException

/** A relation of a join does not fit into memory, or into the largest map that Spark has. */
class RelationTooLarge(cause: Throwable) extends Exception(cause)

private[joins] object RelationTooLarge {

  /** Runs what puts rows into a map of Spark, which refuses them by errors of several kinds. */
  def unlessFits[T](body: => T): T =
    try body
    catch {
      case e @ (_: OutOfMemoryError | _: SparkException | _: IllegalArgumentException |
          _: IllegalStateException | _: UnsupportedOperationException) =>
        throw new RelationTooLarge(e)
    }
}
