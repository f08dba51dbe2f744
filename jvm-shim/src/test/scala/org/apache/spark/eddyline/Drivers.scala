package org.apache.spark.eddyline

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import io.eddyline.spark.globaltable.GlobalTables

/**
 * What a second driver over the same catalog and folders would know and do, in this JVM: global
 * tables begin anew, with other settings.
 */
object Drivers {
  private val beside = mutable.Buffer.empty[GlobalTables]
  private var settings = Set.empty[String]

  /** The driver ends, and another one is started with these settings. */
  def restart(session: SparkSession, conf: java.util.Map[String, String]): Unit = {
    settings.foreach(session.sparkContext.conf.remove(_))
    settings = conf.asScala.keySet.toSet
    conf.asScala.foreach { case (key, value) => session.sparkContext.conf.set(key, value) }
    forget(session).foreach(stop)
    beside.foreach(stop)
    beside.clear()
  }

  /** Another driver is started; this one goes on refreshing its tables. */
  def startAnother(session: SparkSession): Unit = beside ++= forget(session)

  private def forget(session: SparkSession): Option[GlobalTables] = {
    val field = GlobalTables.getClass.getDeclaredField("byContext")
    field.setAccessible(true)
    val all = field.get(GlobalTables).asInstanceOf[mutable.Map[SparkContext, GlobalTables]]
    all.synchronized(all.remove(session.sparkContext))
  }

  private def stop(tables: GlobalTables): Unit = {
    val method = classOf[GlobalTables].getDeclaredMethod("stop")
    method.setAccessible(true)
    method.invoke(tables)
  }
}
