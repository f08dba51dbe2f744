package org.apache.spark.eddyline

import java.time.Duration

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import io.eddyline.spark.globaltable.catalog.TableStatus
import io.eddyline.spark.globaltable.refresh.{GlobalTable, GlobalTables}

/**
 * Simulates, in this JVM, further drivers over the same catalog and folders: global tables start
 * again, with other settings.
 */
object Drivers {
  private val beside = mutable.Buffer.empty[GlobalTables]
  private var settings = Set.empty[String]

  /** Ends the driver and starts another one with these settings. */
  def restart(session: SparkSession, conf: java.util.Map[String, String]): Unit = {
    settings.foreach(session.sparkContext.conf.remove(_))
    settings = conf.asScala.keySet.toSet
    conf.asScala.foreach { case (key, value) => session.sparkContext.conf.set(key, value) }
    forget(session).foreach(stop)
    beside.foreach(stop)
    beside.clear()
  }

  /** Starts another driver; this one continues to refresh its tables. */
  def startAnother(session: SparkSession): Unit = beside ++= forget(session)

  /** Whether the driver has noticed that a table of this name was dropped. */
  def knowsDropped(session: SparkSession, table: String): Boolean =
    all(session, table).exists(_.status == TableStatus.Dropped)

  /** The time until the refresher probes the table's source again, in ms. */
  def delay(session: SparkSession, table: String): Long = {
    val method = classOf[GlobalTable].getDeclaredMethod("nextTick")
    method.setAccessible(true)
    method.invoke(all(session, table).head).asInstanceOf[Duration].toMillis
  }

  /** Interrupts the threads whose names begin with `name`, to kill a build. */
  def interrupt(name: String): Unit =
    Thread.getAllStackTraces.keySet.asScala.filter(_.getName.startsWith(name))
      .foreach(_.interrupt())

  private def all(session: SparkSession, table: String): Seq[GlobalTable] = {
    val tables = valueOf(GlobalTables.of(session), "tables")
    tables.asInstanceOf[java.util.Map[_, GlobalTable]].values.asScala
      .filter(_.id.shortName == table).toSeq
  }

  private def forget(session: SparkSession): Option[GlobalTables] = {
    val applications = valueOf(GlobalTables, "applications")
    val all = valueOf(applications, "values").asInstanceOf[mutable.Map[SparkContext, GlobalTables]]
    all.synchronized(all.remove(session.sparkContext))
  }

  private def valueOf(owner: Any, name: String): Any = {
    val field = owner.getClass.getDeclaredFields.find(_.getName.endsWith(name)).get
    field.setAccessible(true)
    field.get(owner)
  }

  private def stop(tables: GlobalTables): Unit = {
    val method = classOf[GlobalTables].getDeclaredMethods.find(_.getName.endsWith("stop")).get
    method.setAccessible(true)
    method.invoke(tables)
  }
}
