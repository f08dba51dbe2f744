package io.eddyline.spark.streamingquery

import java.util.concurrent.{ConcurrentHashMap, ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._

import org.apache.spark.internal.Logging
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.DaemonThreads

import io.eddyline.spark.base.{EddylineErrors, RecoverableError, Redaction}
import io.eddyline.spark.placeholder.StatementText
import io.eddyline.spark.streamingquery.store._
import io.eddyline.spark.streamingquery.validation.{Checkpoint, Difference}

/**
 * The persistent streaming queries of a location, `spark.eddyline.streamingQuery.location`. One
 * application at a time is their owner and runs them; it takes the lease when it starts
 * (`autoStart`) or at the first statement that needs it, and gives it back when it ends.
 *
 * A definition that cannot be read or parsed is reported by SHOW STREAMING QUERIES and tried again;
 * the others start.
 *
 * Errors: those of [[LeasedLocation]], [[DefinitionCheck]] and [[QueryRegistry]].
 *
 * @param locks a name is locked while its query is added, changed, started again or removed
 */
private[streamingquery] class PersistentQueries(
    registry: QueryRegistry,
    locks: NameLocks,
    rights: QueryRights,
    settings: StreamingQuerySettings,
    any: SparkSession)
  extends Logging {
  import PersistentQueries._

  private val context = any.sparkContext
  private val location = new LeasedLocation(settings, context)
  private val store = location.store
  private val transaction = new CreateTransaction(registry, store, reload)

  private lazy val base = any.newSession()
  private lazy val removal = new DefinitionRemoval(registry, location, base)
  private lazy val loader = new QueryLoader(base, location, settings, () => registry.all)
  private val threads = new ScheduledThreadPoolExecutor(3, DaemonThreads(NAME))
  private val hasBegun = new AtomicBoolean
  private val starts = perQuery[PersistentStreamingQuery]("start")(ifFree(_)(_.startIfDue()))
  private val cleanUps =
    perQuery[PersistentStreamingQuery]("clean-up")(ifFree(_)(_.deleteEarlierGenerations()))
  private val losses = perQuery[PersistentStreamingQuery]("loss")(_.onLeaseLost())
  private val ends = perQuery[ManagedStreamingQuery]("end")(_.end())
  private val broken = new ConcurrentHashMap[String, BrokenDefinition]

  /** The term to which the values here belong, and whether each stored query was tried in it. */
  @volatile private var loadedIn: Option[Long] = None
  @volatile private var isLoaded = false

  /** The keys of the queries that are to run here when they are loaded again. */
  private val interrupted = ConcurrentHashMap.newKeySet[String]

  /**
   * Begins to take part: renews the lease or waits for it, and starts queries again. It takes no
   * lock, because each new session calls it, also that of a query which is being started.
   */
  def begin(): Unit = if (hasBegun.compareAndSet(false, true)) {
    threads.scheduleWithFixedDelay(
      () => logFailure(if (store.exists) location.renewOrTake()),
      0, settings.leaseDuration.toMillis / RENEWALS, TimeUnit.MILLISECONDS)
    for (action <- Seq(() => leave(), () => supervise())) {
      threads.scheduleWithFixedDelay(
        () => logFailure(action()), 0, SUPERVISION_MS, TimeUnit.MILLISECONDS)
    }
  }

  /** Stops all queries, and keeps the lease until they have stopped. */
  def close(): Unit = {
    starts.end(settings.stopTimeout)
    cleanUps.end(patience = 0) // the next run repeats them
    ends.await(registry.all)
    leaveLease()
  }

  /** Ends; another application may become the owner at once. */
  def leaveLease(): Unit = {
    threads.shutdownNow()
    logFailure(location.release())
  }

  /** Returns a persistent query, after a load if this application is not the owner yet. */
  def find(name: String, place: Origin): Option[ManagedStreamingQuery] =
    if (!store.contains(name)) None
    else {
      requireOwner(place)
      if (registry.find(name).isEmpty) locks.hold(name)(load(name, ignoreBackoff = false))
      found(name)
    }

  /**
   * Returns a query of any kind for a statement that changes it, and that has the lock of its name.
   * A definition that could not be loaded is tried again.
   */
  def findForUpdate(name: String, place: Origin): Option[ManagedStreamingQuery] =
    findForUpdate(name, place, store.contains(name))

  /** Returns the same to a transient query, which starts even if the store cannot be read. */
  def findForStart(name: String, place: Origin): Option[ManagedStreamingQuery] =
    findForUpdate(name, place, ifReadable(store.contains(name)).contains(true))

  private def findForUpdate(
      name: String, place: Origin, isStored: => Boolean): Option[ManagedStreamingQuery] = {
    removeLost(name)
    registry.find(name).orElse(
      if (!isStored) None
      else {
        requireOwner(place)
        load(name, ignoreBackoff = true)
        found(name)
      })
  }

  private def found(name: String): Option[ManagedStreamingQuery] = {
    Option(broken.get(FileName.key(name))).foreach(broken => throw broken.error)
    registry.find(name)
  }

  /** See [[UnloadedQueries]]. */
  def unloaded(loaded: String => Boolean): Seq[Row] =
    new UnloadedQueries(registry, location, loader, key => Option(broken.get(key))).all(loaded)

  /**
   * Checks that no stored query, whoever runs it, has files in common with this one, as far as the
   * store can be read.
   */
  def requireNoSharedFiles(query: ManagedStreamingQuery): Unit =
    for ((other, checkpoint) <- ifReadable(store.checkpointsExcept(query.name)).toSeq.flatten) {
      QueryRegistry.requireApart(query, other, checkpoint)
    }

  /** Returns what the store says; None if it cannot be read. */
  private def ifReadable[T](read: => T): Option[T] =
    try Some(read)
    catch {
      case RecoverableError(e) =>
        logWarning("A query starts without a look at those that are stored", e)
        None
    }

  /** Stores a new query and starts it. If it cannot start, everything is as before. */
  def create(
      statement: DefinesStreamingQuery with StatementText,
      checkpoint: String,
      session: SparkSession,
      mode: CreateMode): ManagedStreamingQuery = {
    val definition = statement.definition
    if (mode != CreateMode.IfNotExists || registry.find(definition.name).isEmpty) {
      DefinitionCheck.check(definition, statement.text, session)
    }
    location.requireFileName(definition.name, definition.place)
    store.make()
    requireOwner(definition.place)
    val term = location.term
    val newer = if (mode.resets) 1 else 0 // generations of the checkpoint
    load(definition.name, ignoreBackoff = mode.replaces)
    val failed = Option(broken.get(FileName.key(definition.name)))
    (registry.find(definition.name), failed) match {
      case (Some(existing), _) if mode == CreateMode.IfNotExists => existing
      case (Some(existing: PersistentStreamingQuery), _) if mode.replaces =>
        rights.require(existing.name, Some(existing.user), definition.place)
        val generation = existing.generationIn(checkpoint) + newer
        val query = loader.define(statement, checkpoint, generation, session, term)
        requireNoSharedFiles(query)
        val replacement = new Replacement(existing, query, definition.place)
        if (mode.resets) query.requireApart(definition.place)
        else replacement.requireKeepsState()
        transaction.replace(existing, query, definition.place)(
          Option.when(!mode.resets)(replacement))
        query
      case (None, Some(broken)) if mode == CreateMode.IfNotExists => throw broken.error
      case (None, Some(_)) if !mode.replaces =>
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS", definition.place,
          "name" -> definition.name, "status" -> QueryStatus.Failed.name)
      case _ =>
        val stored = failed.flatMap(_.stored)
        val current = stored.filter(_.checkpoint == checkpoint).fold(
          CheckpointFolder.newest(checkpoint, context.hadoopConfiguration))(_.generation)
        failed.foreach(requireReplaceable(_, definition, checkpoint, current, mode.resets))
        val query = loader.define(statement, checkpoint, current + newer, session, term)
        requireNoSharedFiles(query)
        transaction.add(query, definition.place, mode.resets)
        broken.remove(FileName.key(query.name))
        query
    }
  }

  /** A definition that cannot be loaded does not tell what the state in its checkpoint means. */
  private def requireReplaceable(
      old: BrokenDefinition,
      definition: StreamingQueryDefinition,
      checkpoint: String,
      generation: Int,
      resets: Boolean): Unit = {
    rights.require(definition.name, old.stored.map(_.user), definition.place)
    val before = old.stored.map(stored => stored.checkpoint -> stored.generation)
    val checkpoints =
      if (resets) Nil
      else {
        (before.toSeq :+ (checkpoint -> generation)).distinct.map { case (path, number) =>
          new CheckpointFolder(path, number, context.hadoopConfiguration)
        }
      }
    checkpoints.foreach(
      _.requireUndamaged(definition.redact(base.sessionState.conf, _), definition.place))
    if (checkpoints.exists(folder => new Checkpoint(folder.location, base).isUsed)) {
      val difference = Difference.incompatible(
        "query", None, None, s"${Replacement.UNRESOLVED} ${redacted(old.error.getMessage)}")
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.LOSES_STATE", definition.place,
        "name" -> definition.name, "differences" -> difference.text)
    }
  }

  /** Removes a definition that cannot be loaded; None if there is none. */
  def dropBroken(name: String, purge: Boolean, place: Origin): Option[Row] = {
    val key = FileName.key(name)
    removeLost(name)
    if (registry.find(name).isEmpty && store.contains(name)) {
      requireOwner(place)
      load(name, ignoreBackoff = true)
    }
    val term = location.term
    Option(broken.get(key)).filter(_ => registry.find(name).isEmpty).map { found =>
      rights.require(name, found.stored.map(_.user), place)
      removal.remove(name, found.stored, purge, term, place)
      broken.remove(key)
      QueryRows.dropped(name, None, None, found.stored.map(stored => redacted(stored.checkpoint)))
    }
  }

  /** Returns the query that CREATE OR REPLACE would make. Errors: those of [[DefinitionCheck]]. */
  def candidate(
      statement: DefinesStreamingQuery with StatementText,
      checkpoint: String,
      generation: Int,
      session: SparkSession): ManagedStreamingQuery = {
    DefinitionCheck.check(statement.definition, statement.text, session)
    loader.define(statement, checkpoint, generation, session, location.term)
  }

  private def redacted(text: String): String = Redaction.text(base.sessionState.conf, text)

  /** Takes the lease if it is free, and loads the queries. */
  private def requireOwner(place: Origin): Unit = {
    begin()
    location.requireHeld(place)
    load()
  }

  private def supervise(): Unit = {
    if (location.isHeld) load()
    val queries = registry.persistent.filterNot(occupiesName)
    queries.foreach(query => logFailure(ifFree(query)(_.recordProgress())))
    cleanUps.begin(queries.filter(_.isCleanUpDue))
    val due = queries.filter(query => query.isDue && locks.isFree(query.name))
    starts.begin(due.take(STARTS)): Unit
  }

  /** Does something with a query that is still there, unless something else has its name. */
  private def ifFree(query: PersistentStreamingQuery)(act: PersistentStreamingQuery => Unit): Unit =
    locks.tryHold(query.name) {
      removeLost(query.name)
      if (location.isHeld && registry.find(query.name).exists(_ eq query)) act(query)
    }: Unit

  private def perQuery[T <: ManagedStreamingQuery](what: String)(
      act: T => Unit): PerItemThreads[T] =
    new PerItemThreads[T](query => s"$what of ${query.name}")(query => logFailure(act(query)))

  /** Loads the queries that no other thread works on, those that failed when they are due. */
  private def load(): Unit = {
    val term = location.term
    if (loadedIn != term) {
      loadedIn = term
      isLoaded = false
      broken.clear()
    }
    if (!isLoaded || broken.values.asScala.exists(_.restarts.isDue)) {
      isLoaded = true // before, because the lease may be lost meanwhile
      try {
        val here = registry.persistent.filterNot(_.isLost).map(_.name).map(FileName.key).toSet
        val (waiting, due) =
          store.keys.filterNot(here).partition(registry.find(_).exists(occupiesName))
        val skipped = due.filterNot(key => locks.tryHold(key)(load(key, ignoreBackoff = false)))
        if (skipped.nonEmpty || waiting.nonEmpty) isLoaded = false
      } catch {
        case e: Throwable =>
          isLoaded = false
          throw e
      }
    }
  }

  /**
   * Loads the query of a name that is locked, unless it is there. Finishes a DROP of it with PURGE
   * that another server has begun.
   *
   * @param ignoreBackoff whether one that has failed to load is tried before it is due
   */
  private def load(name: String, ignoreBackoff: Boolean): Unit = {
    val key = FileName.key(name)
    removeLost(name)
    val before = Option(broken.get(key))
    if (registry.find(key).isEmpty && (ignoreBackoff || before.forall(_.restarts.isDue))) {
      val restarts =
        before.filterNot(_ => ignoreBackoff).fold(new Backoff(settings.maxRestarts))(_.restarts)
      restarts.attempt()
      val term = location.term
      store.find(key).fold(broken.remove(key): Unit) { read =>
        try {
          val (stored, autoRestart) = (read.get, settings.autoStart || interrupted.contains(key))
          if (stored.purging) removal.remove(key, Some(stored), purge = true, term, Origin())
          else registry.add(loader.load(key, stored, term, autoRestart))
          interrupted.remove(key)
          broken.remove(key): Unit
        } catch {
          case RecoverableError(e) =>
            broken.put(key, BrokenDefinition.of(key, e, read.toOption, restarts))
            logWarning(s"The streaming query $key cannot be loaded", e)
        }
      }
    }
  }

  /** Ends the queries at once that another owner may run now; waits for none to start or end. */
  private def leave(): Unit = {
    val begun = losses.begin(
      registry.persistent.filter(query => isActive(query) && (!location.isHeld || query.isLost)))
    if (begun.nonEmpty) {
      logWarning(s"The lease of ${location.path} is lost; ${begun.size} streaming queries end")
    }
  }

  /** Whether the name is taken by a transient query, or by one of a lost lease that is stopping. */
  private def occupiesName(query: ManagedStreamingQuery): Boolean =
    lost(query).fold(!query.isPersistent)(q => isActive(q) || losses.isRunning(q))

  private def isActive(query: ManagedStreamingQuery): Boolean = query.lastRun.exists(_.isActive)

  private def lost(query: ManagedStreamingQuery): Option[PersistentStreamingQuery] =
    Some(query).collect {
      case persistent: PersistentStreamingQuery if persistent.isLost => persistent
    }

  /** Removes the query of a name that is locked if the lease was lost since it was loaded. */
  private def removeLost(name: String): Unit = registry.find(name).flatMap(lost).foreach(remove)

  private def remove(query: PersistentStreamingQuery): Unit = {
    query.interrupt() // a statement may have started it meanwhile
    query.release()
    registry.remove(query)
    if (query.autoRestart) interrupted.add(FileName.key(query.name)): Unit
  }

  private def reload(query: PersistentStreamingQuery): Unit = {
    remove(query)
    isLoaded = false
  }

  private def logFailure(action: => Unit): Unit =
    try action
    catch {
      case RecoverableError(e) =>
        logWarning(s"Maintenance of the streaming queries in ${location.path} failed", e)
    }
}

private[streamingquery] object PersistentQueries {
  private val NAME = "eddyline-streaming-queries"
  private val RENEWALS = 3
  private val SUPERVISION_MS = 1000L
  private val STARTS = 4 // that begin at one time
}
