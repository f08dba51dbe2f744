package org.apache.spark.sql.eddyline

import java.util.concurrent.ThreadFactory

import org.apache.spark.util.ThreadUtils

/** Spark's factory of named threads that do not keep the JVM alive. */
object DaemonThreads {
  def apply(name: String): ThreadFactory = ThreadUtils.namedThreadFactory(name)
}
