package io.eddyline.spark.streamingquery

import java.util.{Collections, WeakHashMap}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.locks.ReentrantLock

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.classic
import org.apache.spark.sql.eddyline.QualifiedNames

/**
 * Serializes the INSERTs of streaming queries into one table of the session catalog, and refreshes
 * the table in all sessions afterwards.
 *
 * Two concurrent INSERTs into one file table delete each other's temporary files. And each session
 * caches the file lists of the tables it has read, which Spark drops only in the session that
 * inserts: the others would not see the rows of a query until REFRESH TABLE.
 */
object TargetTables {
  private val sessions = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSession, java.lang.Boolean]))

  private val locks = new ConcurrentHashMap[TableIdentifier, ReentrantLock]

  /** Registers a session; must be called for each session with eddyline's extensions. */
  def track(session: SparkSession): Unit = sessions.add(session)

  /** Runs an INSERT into a table; does nothing else for tables of other catalogs. */
  private[streamingquery] def insertInto(name: Seq[String], session: classic.SparkSession)(
      insert: => Unit): Unit =
    QualifiedNames.sessionTable(session, name)
      .map(session.sessionState.catalog.qualifyIdentifier) match {
      case Some(table) =>
        val lock = locks.computeIfAbsent(table, _ => new ReentrantLock)
        lock.lockInterruptibly()
        try insert
        finally lock.unlock()
        forget(table, session)
      case None => insert
    }

  private def forget(table: TableIdentifier, of: classic.SparkSession): Unit = {
    val alive = sessions.synchronized(sessions.asScala.toSeq)
    alive.collect { case session: classic.SparkSession => session }
      .filter(_.sparkContext == of.sparkContext)
      .foreach(_.sessionState.catalog.invalidateCachedTable(table))
  }
}
