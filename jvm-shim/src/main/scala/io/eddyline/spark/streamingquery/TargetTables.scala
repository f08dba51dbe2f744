package io.eddyline.spark.streamingquery

import java.util.{Collections, WeakHashMap}
import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.locks.ReentrantLock

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.google.common.cache.CacheBuilder
import org.apache.spark.internal.Logging
import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic
import org.apache.spark.sql.eddyline.{DaemonThreads, QualifiedNames}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Serializes the writes of streaming queries into one table of the session catalog, and refreshes
 * a table in all sessions after each write, and once more some seconds later.
 *
 * Two concurrent INSERTs into one file table delete each other's temporary files. And each session
 * caches the file lists of the tables it has read, which Spark drops only in the session that
 * inserts: the others would not see the rows of a query until REFRESH TABLE. So do other catalogs,
 * such as Iceberg's, of which each session has its own.
 */
object TargetTables extends Logging {
  private val sessions = Collections.synchronizedSet(
    Collections.newSetFromMap(new WeakHashMap[SparkSession, java.lang.Boolean]))

  /** The locks that writes hold or wait for. */
  private val locks = CacheBuilder.newBuilder().weakValues().build[TableIdentifier, ReentrantLock]()

  private val again = new ScheduledThreadPoolExecutor(1, DaemonThreads("eddyline-target-tables"))
  private val AGAIN_SECONDS = 5L

  /** Registers a session; must be called for each session with eddyline's extensions. */
  def track(session: SparkSession): Unit = sessions.add(session)

  /** Runs a write into a table. */
  private[streamingquery] def writeInto(name: Seq[String], session: classic.SparkSession)(
      write: => Unit): Unit = {
    val refresh = QualifiedNames.sessionTable(session, name)
      .map(session.sessionState.catalog.qualifyIdentifier) match {
      case Some(table) =>
        val lock = locks.get(table, () => new ReentrantLock)
        lock.lockInterruptibly()
        try write
        finally lock.unlock()
        () => alive(session).foreach(_.sessionState.catalog.invalidateCachedTable(table))
      case None =>
        write
        () => refreshInCatalogs(QualifiedNames.table(session, name), session)
    }
    val refreshing: Runnable = () =>
      try refresh()
      catch { case NonFatal(e) => logWarning(s"${name.mkString(".")} is not refreshed", e) }
    refreshing.run() // an error would repeat the micro-batch, whose rows are written
    // a session may have listed the files before the write, and cache what it has found after it
    again.schedule(refreshing, AGAIN_SECONDS, TimeUnit.SECONDS): Unit
  }

  /** Drops what each session's instance of a catalog has cached of a table. */
  private def refreshInCatalogs(table: Seq[String], of: classic.SparkSession): Unit =
    alive(of)
      .filter(_.sessionState.catalogManager.listCatalogs(None).contains(table.head))
      .flatMap(QualifiedNames.inCatalog(_, table))
      .foreach { case (catalog, identifier) => catalog.invalidateTable(identifier) }

  /** The sessions of the application. */
  private def alive(of: classic.SparkSession): Seq[classic.SparkSession] =
    sessions.synchronized(sessions.asScala.toSeq)
      .collect { case session: classic.SparkSession => session }
      .filter(_.sparkContext == of.sparkContext)
}

/** The table into which a query writes, as its catalog has it at each moment. */
private[streamingquery] class TargetTable(session: classic.SparkSession, name: Seq[String]) {

  /** Its columns, of which those of CHAR and VARCHAR know their length; empty if it is missing. */
  def columns: Seq[Attribute] = relation.toSeq.flatMap(_.output)

  /**
   * What tells it from a table that has its name later: when it was created, or the id that its
   * catalog gives it; None if there is no such thing.
   */
  def identity: Option[String] =
    QualifiedNames.sessionMetadata(session, name).map(_.createTime.toString)
      .orElse(relation.flatMap(relation => Option(relation.table.id)))

  private def relation: Option[DataSourceV2Relation] =
    QualifiedNames.inCatalog(session, QualifiedNames.table(session, name)).flatMap {
      case (catalog, table) =>
        try {
          val loaded = catalog.loadTable(table)
          Some(DataSourceV2Relation.create(loaded, Some(catalog), Some(table)))
        } catch { case _: AnalysisException => None } // there is none of this name
    }
}
