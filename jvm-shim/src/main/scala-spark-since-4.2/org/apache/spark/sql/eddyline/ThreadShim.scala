package org.apache.spark.sql.eddyline

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.SQLExecution

/** The thread-local values of a query, such as its job group. */
object ThreadShim {

  /** Returns a function that runs code with the calling thread's values in another thread. */
  def capture[T](session: SparkSession): (=> T) => T = {
    val locals = SQLExecution.captureThreadLocals(session)
    body => locals.runWith(body)
  }
}
