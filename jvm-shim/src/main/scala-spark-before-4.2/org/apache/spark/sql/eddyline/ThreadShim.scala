package org.apache.spark.sql.eddyline

import org.apache.spark.JobArtifactSet
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.util.Utils

/** The thread-local values of a query, such as its job group. */
object ThreadShim {

  /** Returns a function that runs code with the calling thread's values in another thread. */
  def capture[T](session: SparkSession): (=> T) => T = {
    val context = session.sparkContext
    val properties = Utils.cloneProperties(context.getLocalProperties)
    val artifacts =
      JobArtifactSet.getCurrentJobArtifactState.getOrElse(session.artifactManager.state)
    body =>
      JobArtifactSet.withActiveJobArtifactState(artifacts) {
        session.withActive {
          val before = context.getLocalProperties
          context.setLocalProperties(properties)
          try body
          finally context.setLocalProperties(before)
        }
      }
  }
}
