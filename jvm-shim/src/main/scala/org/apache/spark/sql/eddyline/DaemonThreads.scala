package org.apache.spark.sql.eddyline

import java.util.concurrent.ThreadFactory

import org.apache.spark.util.ThreadUtils

/** Creates Spark's factory of named daemon threads, which do not keep the JVM alive. */
object DaemonThreads {
  def apply(name: String): ThreadFactory = ThreadUtils.namedThreadFactory(name)
}
