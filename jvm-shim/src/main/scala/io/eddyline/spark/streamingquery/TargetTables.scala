package io.eddyline.spark.streamingquery

import java.util.{Collections, WeakHashMap}
import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.locks.ReentrantLock

import scala.jdk.CollectionConverters._

import com.google.common.cache.CacheBuilder
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.classic
import org.apache.spark.sql.eddyline.{DaemonThreads, QualifiedNames}

/**
 * Serializes the writes of streaming queries into one table of the session catalog, and refreshes
 * a table in all sessions after each write, and once more some seconds later.
 *
 * Two concurrent INSERTs into one file table delete each other's temporary files. And each session
 * caches the file lists of the tables it has read, which Spark drops only in the session that
 * inserts: the others would not see the rows of a query until REFRESH TABLE. So do other catalogs,
 * such as Iceberg's, of which each session has its own.
 */
object TargetTables {
  private val sessions = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSession, java.lang.Boolean]))

  /** The locks that writes hold or wait for. */
  private val locks =
    CacheBuilder.newBuilder().weakValues().build[TableIdentifier, ReentrantLock]()

  private val again = new ScheduledThreadPoolExecutor(1, DaemonThreads("eddyline-target-tables"))
  private val AGAIN_SECONDS = 5L

  /** Registers a session; must be called for each session with eddyline's extensions. */
  def track(session: SparkSession): Unit = sessions.add(session)

  /** Runs a write into a table. */
  private[streamingquery] def writeInto(name: Seq[String], session: classic.SparkSession)(
      write: => Unit): Unit = {
    sessionTable(name, session) match {
      case Some(table) =>
        val lock = locks.get(table, () => new ReentrantLock)
        lock.lockInterruptibly()
        try write
        finally lock.unlock()
      case None => write
    }
    refresh(name, session)
    // a session may have listed the files before the write, and cache what it has found after it
    again.schedule((() => refresh(name, session)): Runnable, AGAIN_SECONDS, TimeUnit.SECONDS): Unit
  }

  private def sessionTable(
      name: Seq[String], session: classic.SparkSession): Option[TableIdentifier] =
    QualifiedNames.sessionTable(session, name).map(session.sessionState.catalog.qualifyIdentifier)

  /** Drops what the sessions have cached of a table. */
  private def refresh(name: Seq[String], session: classic.SparkSession): Unit =
    sessionTable(name, session) match {
      case Some(table) =>
        alive(session).foreach(_.sessionState.catalog.invalidateCachedTable(table))
      case None =>
        val full = QualifiedNames.table(session, name)
        alive(session)
          .filter(_.sessionState.catalogManager.listCatalogs(None).contains(full.head))
          .flatMap(QualifiedNames.inCatalog(_, full))
          .foreach { case (catalog, table) => catalog.invalidateTable(table) }
    }

  /** The sessions of the application. */
  private def alive(of: classic.SparkSession): Seq[classic.SparkSession] =
    sessions.synchronized(sessions.asScala.toSeq)
      .collect { case session: classic.SparkSession => session }
      .filter(_.sparkContext == of.sparkContext)
}
