package io.eddyline.spark.globaltable.refresh

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.locks.ReentrantLock

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.sql
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.{DaemonThreads, QualifiedNames, SessionInternals}

import io.eddyline.spark.base.PerApplication
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.replica.{ReplicaKey, Replicas}
import io.eddyline.spark.globaltable.version.{PinnedTable, TableReader}

/** The global tables that the sessions of an application use. */
class GlobalTables private (user: SparkSession) extends RefreshContext {
  private[globaltable] val sessions = new RefreshSessions(user)
  override private[globaltable] val settings = new GlobalTableSettings(user.sparkContext.getConf)
  override private[globaltable] val replicas =
    new Replicas(sessions.of, settings.idleTimeout, settings.hasOwnRelations)
  override private[globaltable] val refresher = new Refresher
  override private[globaltable] val barrier = new RefreshBarrier
  private val tables = new ConcurrentHashMap[TableId, GlobalTable]

  /** By the name of a table: held by the one statement that creates or replaces it. */
  private val creating = new ConcurrentHashMap[Seq[String], ReentrantLock]

  override def session: SparkSession = sessions.current

  override private[globaltable] def session(id: TableId): SparkSession = sessions.of(
    CatalogEntry.find(id.name, sessions.plain).filter(_.id == id).fold(
      Map.empty[String, String])(_.settings))

  override private[globaltable] def hadoopConf: Configuration =
    sessions.plain.sessionState.newHadoopConf()

  /** Returns the table that a plan reads, and creates it, without a version, at its first use. */
  override def table(relation: GlobalRelation): GlobalTable = table(relation.id, relation.options)

  private[globaltable] def table(entry: CatalogEntry): GlobalTable = table(entry.id, entry.options)

  private def table(id: TableId, options: => GlobalTableOptions): GlobalTable =
    tables.computeIfAbsent(id, new GlobalTable(_, options, this))

  def find(id: TableId): Option[GlobalTable] = Option(tables.get(id))

  /** Loads and replicates the tables that a plan reads. Errors: those of [[GlobalTable]]. */
  def load(plan: LogicalPlan): Unit = plan.foreachWithSubqueries {
    case GlobalRelation(relation) => load(relation)
    case _ =>
  }

  /** Loads a table, and builds the replica of a lookup by its primary key. */
  private[globaltable] def load(relation: GlobalRelation): Unit = {
    val loaded = table(relation)
    val pinned = PinnedTable(relation.id, Some(loaded.version()), relation.output)(
      loaded, relation.settings)
    val keys = pinned.primaryKey(sessions.of(relation.settings).sessionState.conf.resolver)
    if (keys.nonEmpty) {
      replicas.get(pinned, ReplicaKey.mode(keys, pinned.output), relation.settings)._1.get
    }
  }

  /** Waits for a running refresh, then removes a table's snapshots and replicas. */
  private[globaltable] def drop(table: GlobalTable): Unit = {
    table.drop()
    forget(table)
  }

  /** Fails the queries that still use a replaced table of the same name. */
  private[globaltable] def replaceOthers(made: GlobalTable): Unit =
    ofName(made.id.name).filterNot(_ eq made).foreach(_.replace())

  /**
   * Runs `work` while no table of this name can refresh, so that none sees a state in between, and
   * no other statement is here for that name.
   */
  private[globaltable] def withRefreshPaused[T](name: Seq[String])(work: => T): T = {
    def paused(tables: List[GlobalTable]): T = tables match {
      case table :: others => table.withRefreshPaused(paused(others))
      case Nil => work
    }
    val lock = creating.computeIfAbsent(name, _ => new ReentrantLock)
    lock.lockInterruptibly()
    try paused(ofName(name).toList)
    finally lock.unlock()
  }

  private def withoutSource(name: Seq[String], asker: SparkSession): Option[CatalogTable] = {
    val namesakes = tables.values.asScala.filter(table =>
      table.current.isDefined && table.id.name.last.equalsIgnoreCase(name.last))
    for {
      _ <- namesakes.headOption
      entry <- CatalogEntry.find(QualifiedNames.inView(asker, name), sessions.plain)
      view <- entry.metadata.filter(_ => entry.isView && namesakes.exists(_.id == entry.id))
      if Try(SessionInternals.detached(session(entry.id))(Source.of(entry.id, this))).isFailure
    } yield view
  }

  private def ofName(name: Seq[String]): Seq[GlobalTable] =
    tables.values.asScala.filter(_.id.name == name).toSeq

  override private[globaltable] def refreshed(
      table: TableReader, started: Long, error: Option[String]): Unit =
    GlobalTables.listeners.find(sessions.plain.sparkContext).foreach(_(table, started, error))

  override private[globaltable] def forget(id: TableId): Unit = find(id).foreach(forget)

  private[globaltable] def forget(table: GlobalTable): Unit = {
    tables.remove(table.id, table)
    refresher.forget(table)
    replicas.release(table.id)
  }

  private def stop(): Unit = {
    refresher.stop()
    replicas.stop()
    // on a thread of its own, because it waits for a broker that hangs
    DaemonThreads("eddyline-global-close")
      .newThread(() => tables.values.forEach(_.topics.close())).start()
  }
}

object GlobalTables {
  private val applications = new PerApplication[GlobalTables](_.stop())
  private val listeners = new PerApplication[(TableReader, Long, Option[String]) => Unit]

  /**
   * Sets who is told of the refreshes of an application that have made a version, failed, or
   * succeeded after a failure.
   *
   * @param listener takes the table, when the refresh began, in ms since the epoch, and why it
   *                 failed, without secrets; None: it has made or confirmed the current version
   */
  def listen(context: SparkContext)(listener: (TableReader, Long, Option[String]) => Unit): Unit =
    listeners.of(context)(listener)

  def of(session: sql.SparkSession): GlobalTables = applications.of(session.sparkContext) {
    val made = new GlobalTables(session.asInstanceOf[SparkSession])
    session.sparkContext.addSparkListener(made.barrier)
    made
  }

  /** Holds refreshes back while the query of this thread starts a micro-batch of long tasks. */
  private[refresh] def startQuery(context: SparkContext, query: String): Unit =
    applications.find(context).foreach(_.barrier.start(query))

  /**
   * Returns the view of a global table whose source cannot be resolved, if the application has a
   * version of the table. Other names cost no request to the catalog.
   *
   * @param name as the session resolves it at the moment
   */
  def withoutSource(session: SparkSession, name: Seq[String]): Option[CatalogTable] =
    applications.find(session.sparkContext).filterNot(_.sessions.isOwn(session))
      .flatMap(_.withoutSource(name, session))

  /** Whether a session is one of [[RefreshSessions]], which read the sources and no versions. */
  def isOwn(session: sql.SparkSession): Boolean =
    applications.find(session.sparkContext).exists(_.sessions.isOwn(session))
}
