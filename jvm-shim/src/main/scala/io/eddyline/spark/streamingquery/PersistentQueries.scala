package io.eddyline.spark.streamingquery

import java.time.Instant
import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.collection.mutable
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.DaemonThreads

import io.eddyline.spark.EddylineErrors
import io.eddyline.spark.placeholder.StatementText
import io.eddyline.spark.streamingquery.store._

/**
 * The persistent streaming queries of a location, `spark.eddyline.streamingQuery.location`. One
 * application at a time is their owner and runs them; it takes the lease when it starts
 * (`autoStart`) or at the first statement that needs it, and gives it back when it ends.
 *
 * A definition that cannot be read or parsed is reported by SHOW STREAMING QUERIES and tried again;
 * the others start.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.NOT_OWNER, and those of [[DefinitionCheck]].
 */
private[streamingquery] class PersistentQueries(
    registry: QueryRegistry,
    rights: QueryRights,
    settings: StreamingQuerySettings,
    any: SparkSession)
  extends Logging {
  import PersistentQueries._

  private val context = any.sparkContext
  private val location =
    settings.location.getFileSystem(context.hadoopConfiguration).makeQualified(settings.location)
  private val store = new QueryStore(location, context.hadoopConfiguration)
  private val lease = new Lease(new Path(location, "lease"), context.hadoopConfiguration,
    Owner.here(context.applicationId), settings.leaseDuration)

  private lazy val base = any.newSession()
  private val threads = new ScheduledThreadPoolExecutor(2, DaemonThreads(NAME))
  private val hasBegun = new AtomicBoolean

  private val broken = mutable.LinkedHashMap.empty[String, Broken]
  private var isLoaded = false

  /**
   * Begins to take part: renews the lease or waits for it, and starts queries again. It takes no
   * lock, because each new session calls it, also that of a query which is being started.
   */
  def begin(): Unit = if (hasBegun.compareAndSet(false, true)) {
    threads.scheduleWithFixedDelay(
      () => guarded(if (store.exists) lease.advance()),
      0, settings.leaseDuration.toMillis / RENEWALS, TimeUnit.MILLISECONDS)
    threads.scheduleWithFixedDelay(
      () => guarded(supervise()), 0, SUPERVISION_MS, TimeUnit.MILLISECONDS)
  }

  /** Stops all queries, and keeps the lease until they have stopped. */
  def close(): Unit = {
    registry.end()
    leaveLease()
  }

  /** Ends; another application may become the owner at once. */
  def leaveLease(): Unit = {
    threads.shutdownNow()
    guarded(if (store.exists) lease.release())
  }

  /** Returns a persistent query, after a load if this application is not the owner yet. */
  def find(name: String, place: Origin): Option[ManagedStreamingQuery] =
    if (!store.contains(name)) None
    else {
      requireOwner(place)
      val cause = synchronized(broken.get(FileName.key(name)).map(_.error))
      cause.foreach(throw _)
      registry.find(name)
    }

  /** The stored queries that this application does not have; it may have failed to load them. */
  def unloaded: Seq[UnloadedQuery] = {
    val errors = synchronized(broken.view.mapValues(_.error).toMap)
    lazy val isElsewhere = !lease.isHeld && lease.owner.isDefined
    store.all.toSeq.sortBy(_._1).filter { case (key, _) => registry.find(key).isEmpty }.map {
      case (key, read) =>
        val error = errors.get(key).orElse(read.failed.toOption)
        val status =
          if (error.isDefined) QueryStatus.Failed
          else if (isElsewhere) QueryStatus.Elsewhere
          else QueryStatus.Stopped
        UnloadedQuery(key, read.toOption, status, error)
    }
  }

  /** Stores a new query and starts it. If it cannot start, everything is as before. */
  def create(
      statement: DefinesStreamingQuery with StatementText,
      checkpoint: String,
      session: SparkSession,
      mode: CreateMode): ManagedStreamingQuery = synchronized {
    val definition = statement.definition
    if (mode != CreateMode.IfNotExists || registry.find(definition.name).isEmpty) {
      DefinitionCheck.check(definition, statement.text, session)
    }
    if (!store.canHold(definition.name)) {
      throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.NAME_TOO_LONG",
        Map(
          "name" -> definition.name,
          "file" -> "stored definition",
          "bytes" -> QueryStore.MAX_BYTES.toString), definition.place)
    }
    store.make()
    requireOwner(definition.place)
    if (!mode.replaces) requireNotBroken(definition)
    registry.find(definition.name) match {
      case Some(existing) if mode == CreateMode.IfNotExists => existing
      case Some(existing: PersistentStreamingQuery) if mode.replaces =>
        rights.require(existing.name, Some(existing.user), definition.place)
        val query = newQuery(statement, checkpoint, session, mode.resets)
        if (mode.resets) query.plan(definition.place): Unit
        else new Replacement(existing, query, definition.place).requireKeepsState()
        replace(existing, query, definition.place)
        query
      case _ =>
        val query = newQuery(statement, checkpoint, session, mode.resets)
        registry.add(query, ifNotExists = false): Unit
        broken.remove(FileName.key(query.name))
        try {
          query.save()
          query.startFirst(definition.place)
        } catch {
          case e: Throwable =>
            query.drop(definition.place)
            registry.remove(query)
            throw e
        }
        query
    }
  }

  private def requireNotBroken(definition: StreamingQueryDefinition): Unit =
    if (broken.contains(FileName.key(definition.name))) {
      throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS",
        Map("name" -> definition.name, "status" -> QueryStatus.Failed.name), definition.place)
    }

  private def replace(
      old: PersistentStreamingQuery, query: PersistentStreamingQuery, place: Origin): Unit = {
    old.halt()
    registry.replace(old, query)
    try {
      query.save()
      query.startFirst(place)
    } catch {
      case e: Throwable =>
        registry.replace(query, old)
        old.save()
        throw e
    }
  }

  /** Removes a definition that cannot be loaded; returns false if there is none. */
  def removeBroken(name: String, place: Origin): Boolean =
    registry.find(name).isEmpty && store.contains(name) && {
      requireOwner(place)
      synchronized(broken.contains(FileName.key(name))) && {
        rights.require(name, store.find(name).flatMap(_.toOption).map(_.user), place)
        synchronized(broken.remove(FileName.key(name)))
        store.remove(name)
        true
      }
    }

  /** Returns the query that CREATE OR REPLACE would make. Errors: those of [[DefinitionCheck]]. */
  def candidate(
      statement: DefinesStreamingQuery with StatementText,
      checkpoint: String,
      session: SparkSession): ManagedStreamingQuery = {
    DefinitionCheck.check(statement.definition, statement.text, session)
    newQuery(statement, checkpoint, session, resets = false)
  }

  /** Returns a query as another application would load it. */
  private def newQuery(
      statement: DefinesStreamingQuery with StatementText,
      checkpoint: String,
      session: SparkSession,
      resets: Boolean): PersistentStreamingQuery = {
    val definition = statement.definition
    val catalogs = session.sessionState.catalogManager
    val query = revive(
      StoredQuery(
        definition.name, statement.text, catalogs.currentCatalog.name,
        catalogs.currentNamespace.toSeq, DefinitionCheck.confs(session, base, definition),
        CurrentUserContext.getCurrentUser, checkpoint, definition.comment, Instant.now().toString,
        running = true, resets),
      isAttended = true)
    DefinitionCheck.requireNoParameter(query.definition)
    query
  }

  /** Takes the lease if it is free, and loads the queries. Errors: NOT_OWNER. */
  private def requireOwner(place: Origin): Unit = {
    begin()
    if (!lease.isHeld) lease.advance(): Unit
    requireLease(place)
    load()
  }

  private def requireLease(place: Origin): Unit = if (!lease.isHeld) {
    val owner = lease.owner.fold("another application")(_.text)
    throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.NOT_OWNER",
      Map(
        "location" -> location.toString, "owner" -> owner,
        "duration" -> s"${settings.leaseDuration.toMillis} ms"), place)
  }

  private def owned: Seq[PersistentStreamingQuery] =
    registry.all.collect { case query: PersistentStreamingQuery => query }

  private def supervise(): Unit = {
    if (lease.isHeld) load() else leave()
    owned.foreach(query => guarded(query.supervise()))
  }

  private def load(): Unit = synchronized {
    if (!isLoaded || broken.values.exists(_.restarts.isDue)) {
      store.all.foreach { case (key, read) =>
        if (registry.find(key).isEmpty) load(key, read)
      }
      isLoaded = true
    }
  }

  private def load(key: String, read: Try[StoredQuery]): Unit = {
    val restarts = broken.get(key).fold(new Backoff(settings.maxRestarts))(_.restarts)
    if (restarts.isDue) {
      restarts.attempt()
      try {
        registry.add(revive(read.get, isAttended = settings.autoStart), ifNotExists = false): Unit
        broken.remove(key): Unit
      } catch {
        case NonFatal(e) =>
          broken(key) = Broken(e, restarts)
          logWarning(s"The streaming query $key cannot be loaded", e)
      }
    }
  }

  /** Stops the queries, which another owner may run now, and forgets them. */
  private def leave(): Unit = synchronized {
    if (isLoaded && !lease.isHeld) {
      isLoaded = false
      broken.clear()
      val lost = owned
      logWarning(s"The lease of $location is lost; ${lost.size} streaming queries stop")
      registry.end(lost)
      lost.foreach(registry.remove)
    }
  }

  /** Makes a query of a definition, in a session as the one that created it. */
  private def revive(stored: StoredQuery, isAttended: Boolean): PersistentStreamingQuery = {
    val session = base.newSession()
    stored.confs.foreach { case (key, value) =>
      session.sessionState.conf.setConfString(key, value)
    }
    session.sessionState.catalogManager.setCurrentCatalog(stored.catalog)
    session.sessionState.catalogManager.setCurrentNamespace(stored.namespace.toArray)
    val own = new QuerySession(session, stored.user, () => requireLease(Origin()))
    own.as(session.withActive(session.sessionState.sqlParser.parsePlan(stored.statement))) match {
      case statement: DefinesStreamingQuery with StatementText
          if FileName.key(statement.definition.name) == FileName.key(stored.name) =>
        new PersistentStreamingQuery(
          statement.definition, own, stored, store, requireLease, new Backoff(settings.maxRestarts),
          isAttended)
      case _ => throw EddylineErrors.analysis(
          "EDDYLINE_STREAMING_QUERY.INVALID_DEFINITION", Map("name" -> stored.name))
    }
  }

  private def guarded(action: => Unit): Unit =
    try action
    catch { case NonFatal(e) => logWarning(s"Streaming queries of $location", e) }
}

private[streamingquery] object PersistentQueries {
  private val NAME = "eddyline-streaming-queries"
  private val RENEWALS = 3
  private val SUPERVISION_MS = 1000L

  /** A definition that cannot be loaded. */
  private case class Broken(error: Throwable, restarts: Backoff)
}

/**
 * A stored query that this application does not have.
 *
 * @param name its name, in lower case
 * @param stored its definition; None if it cannot be read
 * @param error why it could not be loaded; None if that was not tried
 */
private[streamingquery] case class UnloadedQuery(
    name: String, stored: Option[StoredQuery], status: QueryStatus, error: Option[Throwable])
