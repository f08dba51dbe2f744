package org.apache.spark.eddyline

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import io.eddyline.spark.streamingquery.StreamingQueries

/**
 * Simulates, in this JVM, servers that run persistent streaming queries of one location: each is a
 * registry of queries with a lease of its own.
 */
object QueryServers {
  private val beside = mutable.Buffer.empty[AnyRef]
  private var settings = Set.empty[String]

  /** Begins another server with these settings; the next statements go to it. */
  def begin(session: SparkSession, conf: java.util.Map[String, String]): Unit = {
    settings.foreach(session.sparkContext.conf.remove(_))
    settings = conf.asScala.keySet.toSet
    conf.asScala.foreach { case (key, value) => session.sparkContext.conf.set(key, value) }
    StreamingQueries.beginAtStart(session)
  }

  /** Leaves the server alone; it continues, and gets no more statements. */
  def leave(session: SparkSession): Unit = beside ++= forget(session)

  /** Ends the server as a SIGTERM does. */
  def end(session: SparkSession): Unit = forget(session).foreach(call(_, "close"))

  /** Ends the server as kill -9 does: it writes nothing any more, also no file of its lease. */
  def kill(session: SparkSession): Unit = forget(session).foreach { queries =>
    call(valueOf(valueOf(queries, "persistent"), "threads"), "shutdownNow")
    val registry = valueOf(queries, "registry")
    valueOf(registry, "all").asInstanceOf[Seq[AnyRef]].foreach(call(_, "halt"))
  }

  /** Ends all servers, and resets their settings. */
  def reset(session: SparkSession): Unit = {
    (beside ++ forget(session)).foreach(call(_, "close"))
    beside.clear()
    settings.foreach(session.sparkContext.conf.remove(_))
    settings = Set.empty
  }

  private def forget(session: SparkSession): Option[AnyRef] = {
    val all = valueOf(valueOf(StreamingQueries, "applications"), "values")
      .asInstanceOf[mutable.Map[SparkContext, AnyRef]]
    all.synchronized(all.remove(session.sparkContext))
  }

  private def valueOf(owner: AnyRef, name: String): AnyRef = {
    owner.getClass.getDeclaredMethods.find(method =>
      method.getName.endsWith(name) && method.getParameterCount == 0).map { method =>
      method.setAccessible(true)
      method.invoke(owner)
    }.getOrElse {
      val field = owner.getClass.getDeclaredFields.find(_.getName.endsWith(name)).get
      field.setAccessible(true)
      field.get(owner)
    }
  }

  private def call(owner: AnyRef, name: String): Unit = {
    val methods = owner.getClass.getDeclaredMethods ++ owner.getClass.getMethods
    val method = methods.find(m => m.getParameterCount == 0 && m.getName.endsWith(name)).get
    method.setAccessible(true)
    method.invoke(owner): Unit
  }
}
