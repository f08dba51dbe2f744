package io.eddyline.spark.streamingquery

import java.util.{Collections, WeakHashMap}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.locks.ReentrantLock

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.classic

/**
 * What streaming queries that insert into the tables of the session catalog need of each other.
 *
 * Two INSERTs into one file table at a time take away each other's temporary files, so those of
 * streaming queries take turns. And each session remembers the files of the tables it has read,
 * which Spark forgets only in the session that inserts: without more, the others would not see the
 * rows of a query until REFRESH TABLE.
 */
object TargetTables {
  private val SESSION_CATALOG = "spark_catalog"

  private val sessions = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSession, java.lang.Boolean]))

  private val locks = new ConcurrentHashMap[TableIdentifier, ReentrantLock]

  /** To be called for every session that knows eddyline. */
  def track(session: SparkSession): Unit = sessions.add(session)

  /** Runs an INSERT into a table; other catalogs' tables are their business. */
  private[streamingquery] def insertInto(name: Seq[String], session: classic.SparkSession)(
      insert: => Unit): Unit =
    identifier(name).map(session.sessionState.catalog.qualifyIdentifier) match {
      case Some(table) =>
        val lock = locks.computeIfAbsent(table, _ => new ReentrantLock)
        lock.lockInterruptibly()
        try insert
        finally lock.unlock()
        forget(table, session)
      case None => insert
    }

  private def identifier(name: Seq[String]): Option[TableIdentifier] = name match {
    case Seq(table) => Some(TableIdentifier(table))
    case Seq(database, table) => Some(TableIdentifier(table, Some(database)))
    case Seq(SESSION_CATALOG, database, table) => Some(TableIdentifier(table, Some(database)))
    case _ => None
  }

  private def forget(table: TableIdentifier, of: classic.SparkSession): Unit = {
    val alive = sessions.synchronized(sessions.asScala.toSeq)
    alive.collect { case session: classic.SparkSession => session }
      .filter(_.sparkContext == of.sparkContext)
      .foreach(_.sessionState.catalog.invalidateCachedTable(table))
  }
}
