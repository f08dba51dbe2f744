package org.apache.spark.eddyline

import java.time.Duration

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import io.eddyline.spark.globaltable.catalog.TableStatus
import io.eddyline.spark.globaltable.refresh.{GlobalTable, GlobalTables}

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

  /** Whether the driver knows that a table of the name, which it still uses, is gone. */
  def knowsDropped(session: SparkSession, table: String): Boolean =
    all(session, table).exists(_.status == TableStatus.Dropped)

  /** How long until the refresher looks at the table's source again, in ms. */
  def delay(session: SparkSession, table: String): Long = {
    val method = classOf[GlobalTable].getDeclaredMethod("nextTick")
    method.setAccessible(true)
    method.invoke(all(session, table).head).asInstanceOf[Duration].toMillis
  }

  /** Interrupts the threads of that name, as whoever kills a build would. */
  def interrupt(name: String): Unit =
    Thread.getAllStackTraces.keySet.asScala.filter(_.getName.startsWith(name))
      .foreach(_.interrupt())

  private def all(session: SparkSession, table: String): Seq[GlobalTable] = {
    val field = classOf[GlobalTables].getDeclaredField("tables")
    field.setAccessible(true)
    field.get(GlobalTables.of(session)).asInstanceOf[java.util.Map[_, GlobalTable]].values.asScala
      .filter(_.id.shortName == table).toSeq
  }

  private def forget(session: SparkSession): Option[GlobalTables] = {
    val field = GlobalTables.getClass.getDeclaredFields.find(_.getName.endsWith("byContext")).get
    field.setAccessible(true)
    val all = field.get(GlobalTables).asInstanceOf[mutable.Map[SparkContext, GlobalTables]]
    all.synchronized(all.remove(session.sparkContext))
  }

  private def stop(tables: GlobalTables): Unit = {
    val method = classOf[GlobalTables].getDeclaredMethods.find(_.getName.endsWith("stop")).get
    method.setAccessible(true)
    method.invoke(tables)
  }
}
