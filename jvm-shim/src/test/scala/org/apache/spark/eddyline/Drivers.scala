package org.apache.spark.eddyline

import java.time.Duration

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession

import io.eddyline.spark.globaltable.refresh.{GlobalTable, GlobalTables, TableStatus}

/**
 * Simulates, in this JVM, further drivers over the same catalog and folders: global tables start
 * again, with other settings.
 */
object Drivers {
  import Application._

  private val driver = new Application(GlobalTables)
  private val beside = mutable.Buffer.empty[AnyRef]

  /** Ends the driver and starts another one with these settings. */
  def restart(session: SparkSession, conf: java.util.Map[String, String]): Unit = {
    driver.set(session, conf)
    (beside ++ driver.forget(session)).foreach(call(_, "stop"))
    beside.clear()
  }

  /** Starts another driver; this one continues to refresh its tables. */
  def startAnother(session: SparkSession): Unit = beside ++= driver.forget(session)

  /** Whether the driver holds a table of this name. */
  def knows(session: SparkSession, table: String): Boolean = all(session, table).nonEmpty

  /** The versions that the drivers beside have of a table of this name. */
  def versionsBeside(table: String): java.util.List[String] =
    beside.toSeq.flatMap(named(_, table)).map(_.current.fold("")(_.name)).asJava

  /** Whether the driver has noticed that a table of this name was dropped. */
  def knowsDropped(session: SparkSession, table: String): Boolean =
    all(session, table).exists(_.status == TableStatus.Dropped)

  /**
   * The time until the next turn of the table of this name, in ms. Dropped tables of the name count
   * if there is no other.
   */
  def delay(session: SparkSession, table: String): Long = {
    val (dropped, there) = all(session, table).partition(_.status == TableStatus.Dropped)
    (if (there.isEmpty) dropped else there)
      .map(call(_, "nextTurn").asInstanceOf[Duration].toMillis).min
  }

  /** Interrupts the threads whose names begin with `name`, to kill a build. */
  def interrupt(name: String): Unit =
    Thread.getAllStackTraces.keySet.asScala.filter(_.getName.startsWith(name))
      .foreach(_.interrupt())

  private def all(session: SparkSession, table: String): Seq[GlobalTable] =
    named(GlobalTables.of(session), table)

  private def named(globals: AnyRef, table: String): Seq[GlobalTable] =
    valueOf(globals, "tables").asInstanceOf[java.util.Map[_, GlobalTable]].values.asScala
      .filter(_.id.shortName == table).toSeq
}
