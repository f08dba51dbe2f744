package org.apache.spark.eddyline

import scala.collection.mutable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery

import io.eddyline.spark.streamingquery.StreamingQueries

/**
 * Simulates, in this JVM, servers that run persistent streaming queries of one location: each is a
 * registry of queries with a lease of its own.
 */
object QueryServers {
  import Application._

  private val server = new Application(StreamingQueries)
  private val beside = mutable.Buffer.empty[AnyRef]

  /** Begins another server with these settings; the next statements go to it. */
  def begin(session: SparkSession, conf: java.util.Map[String, String]): Unit = {
    server.set(session, conf)
    StreamingQueries.beginAtStart(session)
  }

  /** Leaves the server alone; it continues, and gets no more statements. */
  def leave(session: SparkSession): Unit = beside ++= server.forget(session)

  /** Ends the server as a SIGTERM does. */
  def end(session: SparkSession): Unit = server.forget(session).foreach(close)

  /** Ends the server as kill -9 does: it writes nothing any more, also no file of its lease. */
  def kill(session: SparkSession): Unit = server.forget(session).foreach { queries =>
    call(valueOf(valueOf(queries, "persistent"), "threads"), "shutdownNow")
    all(queries).foreach(call(_, "halt"))
  }

  /** Whether a query has been told to stop, and its run goes on until its micro-batch ends. */
  def isStopping(session: SparkSession): Boolean = server.find(session).toSeq.flatMap(all).exists {
    valueOf(_, "run").asInstanceOf[Option[AnyRef]].exists { run =>
      val query = valueOf(run, "query").asInstanceOf[StreamingQuery]
      valueOf(run, "stopped") == true && query.isActive
    }
  }

  /** Ends all servers, those that wait for a lease first, and resets their settings. */
  def reset(session: SparkSession): Unit = {
    (beside ++ server.forget(session)).reverse.foreach(close)
    beside.clear()
    server.set(session, java.util.Map.of())
  }

  private def all(queries: AnyRef): Seq[AnyRef] =
    call(valueOf(queries, "registry"), "all").asInstanceOf[Seq[AnyRef]]

  private def close(queries: AnyRef): Unit = call(valueOf(queries, "persistent"), "close"): Unit
}
