package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent.locks.ReentrantLock

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{EddylineConf, EddylineErrors}
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.version._
import io.eddyline.spark.ui.GlobalTableRefreshed
import io.eddyline.spark.ui.live.LiveUi

/**
 * A global table that this application uses: its current version, and how it gets the next one.
 *
 * A refresh probes the source, makes a version of its rows, builds every replica in use at that
 * version, and then makes it the current one. A failure at any step leaves the old version in use.
 *
 * Errors: EDDYLINE_GLOBAL_TABLE.DROPPED, NOT_LOADED, STALE, VERSION_GONE, and those of
 * [[SnapshotWriter]] and [[Replicas]].
 */
class GlobalTable private[globaltable] (
    val id: TableId,
    given: GlobalTableOptions,
    context: RefreshContext)
  extends TableReader with Refreshable with Logging {
  private[globaltable] val snapshots =
    new Snapshots(context.settings.folderOf(id), context.settings.permissions, context.hadoopConf)
  private[globaltable] val history = new RefreshLog
  private val catalogVersions = new CatalogVersions(id, context)
  private val watch = new SourceWatch(id, snapshots, context)
  private[globaltable] val topics = new TopicWatch(id, snapshots, context)
  private val refreshing = new ReentrantLock

  private val state = new TableState(given)
  private val policy =
    new RefreshPolicy(state, history, watch, context.settings.idleTimeout)
  private val staleness = new Staleness(id, state, history, watch)(
    probe = () => attempt(Demand.Query),
    hasten = () => if (!refreshing.isLocked) context.refresher.hasten(this))

  def options: GlobalTableOptions = state.options

  /** The version that queries get now; None before the first load. */
  def current: Option[Version] = state.version

  def age: Option[Long] = history.age

  def lastError: Option[String] = history.lastError

  def counts: RefreshCounts = history.counts

  def status: TableStatus =
    if (state.isDropped) TableStatus.Dropped
    else if (current.isEmpty && history.error.isEmpty) TableStatus.Loading
    else if (staleness.isStale) TableStatus.Stale
    else if (history.error.isDefined) TableStatus.Failing
    else if (state.isSuspended) TableStatus.Suspended
    else TableStatus.Ok

  /** Whether a query gets the current version without a probe of the source. */
  private[globaltable] def isReady: Boolean =
    current.isDefined && !state.isSuspended && !staleness.isStale

  /** Returns the version for a query; loads the table first. Errors: DROPPED, NOT_LOADED, STALE. */
  def version(): Version = {
    use()
    if (state.isManual && current.exists(isCollected)) state.version = snapshots.newest
    staleness.awaitFresh()
    current.getOrElse(throw notLoaded(history.error))
  }

  /** Whether another application, which refreshes more often, has removed a version's snapshot. */
  private def isCollected(version: Version): Boolean =
    !version.isOfCatalog && snapshots.find(version.name).isEmpty

  /**
   * Returns the version that an earlier attempt of a micro-batch used, even if it is stale. Errors:
   * VERSION_GONE, unless `spark.eddyline.globalTable.onMissingVersion` is LATEST.
   */
  private[globaltable] def replay(name: String): Version = {
    val unloaded = Try(use()).failed.toOption
    current.filter(_.name == name).orElse(snapshots.find(name)).orElse {
      unloaded.foreach(throw _) // the version may be in a catalog that is down
      try catalogVersions.find(name)
      catch { case NonFatal(e) => throw notLoaded(Some(e)) }
    }.getOrElse {
      SQLConf.get.getConf(EddylineConf.GLOBAL_TABLE_ON_MISSING_VERSION) match {
        case "LATEST" => version()
        case _ => throw versionGone(name)
      }
    }
  }

  private def versionGone(version: String): Throwable =
    EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.VERSION_GONE",
      Map("table" -> id.shortName, "version" -> version))

  /** Returns the plan that reads a version (None: the current one). Errors: VERSION_GONE. */
  private[globaltable] def read(
      version: Option[Version],
      output: Seq[AttributeReference],
      session: SparkSession): LogicalPlan = {
    val pinned = version.getOrElse(this.version())
    if (pinned.isOfCatalog) {
      catalogVersions.read(pinned, options.primaryKey, output)
    } else {
      snapshots.find(pinned.name)
        .flatMap(SnapshotRelation.of(snapshots, _, options.primaryKey, output, session))
        .getOrElse(throw versionGone(pinned.name))
    }
  }

  override private[globaltable] def changes(
      version: Version,
      output: Seq[AttributeReference],
      session: SparkSession): Option[(Version, LogicalPlan)] = version.base.map { name =>
    val base = snapshots.find(name).getOrElse(throw versionGone(version.name))
    base -> SnapshotRelation(
      snapshots.path(version), output :+ ChangedRelation.isDeleted(), session)
  }

  /** Loads or refreshes now; raises the error if that fails. */
  private[globaltable] def refresh(): Unit = {
    state.use()
    state.isSuspended = false
    history.resetBackoff()
    try refresh(Demand.User)
    catch {
      case NonFatal(e) => throw e match {
          case _: SparkThrowable => e
          case _ => notLoaded(Some(e))
        }
    } finally context.refresher.schedule(this)
  }

  /**
   * Replaces the options, or raises an error and keeps the old ones. Only LATEST BY needs a
   * refresh; the others take effect at once, even if the source cannot be read. MAX BYTES applies
   * to what is built or written afterwards.
   */
  private[globaltable] def alter(options: GlobalTableOptions): Unit = {
    val before = state.options
    state.options = options
    try {
      current.flatMap(_.rows).filter(_ > options.maxRows).foreach { rows =>
        throw SizeLimit.exceeded(
          id.shortName, s"$rows rows", s"MAX ROWS ${options.maxRows}")
      }
      if (options.latestBy != before.latestBy) refresh()
      else context.refresher.schedule(this)
    } catch {
      case e: Throwable =>
        state.options = before
        throw e
    }
  }

  /**
   * Takes one turn of the refresher; returns whether there is to be another. A table that no query
   * uses is forgotten once the catalog no longer has it, whatever statement has dropped it.
   */
  override private[globaltable] def tick(): Boolean = {
    context.replicas.releaseIdle()
    val isForgotten = policy.isIdle && {
      state.isSuspended = true
      context.replicas.release(id)
      topics.close()
      isGone
    }
    if (isForgotten) context.forget(id)
    else if (!state.isSuspended && state.isWatched) attempt(Demand.Background)
    !isForgotten
  }

  /** Whether the catalog no longer has the table; false if it cannot be asked. */
  private def isGone: Boolean =
    try CatalogEntry.find(id.name, context.session).forall(_.id != id)
    catch { case NonFatal(_) => false }

  /** Time until the next [[tick]], which probes the source or checks whether the table is idle. */
  override private[globaltable] def nextTick: Duration = policy.nextTurn

  /** Marks the table as replaced by another one of its name, so that running queries fail. */
  private[globaltable] def replace(): Unit = state.replace()

  /** Runs `work` while this table cannot refresh, so that none sees a state in between. */
  private[globaltable] def held[T](work: => T): T = {
    refreshing.lock()
    try work
    finally refreshing.unlock()
  }

  /** Marks the table as dropped and removes its snapshots, for DROP GLOBAL TABLE. */
  private[globaltable] def drop(): Unit = {
    state.drop()
    held {
      topics.close()
      snapshots.drop()
    }
  }

  /** Notes that a query uses the table; loads it, or probes its source if it was suspended. */
  private def use(): Unit = {
    state.use()
    if (state.isReplaced) throw gone
    if (current.isEmpty) {
      load()
    } else if (state.isSuspended) {
      state.isSuspended = false
      if (state.isWatched && options.staleWait.isEmpty) attempt(Demand.Query)
      context.refresher.schedule(this)
    }
  }

  private def load(): Unit = {
    attempt(Demand.Query)
    if (current.isEmpty) {
      throw history.error match {
        case Some(error) if EddylineErrors.isOurs(error) => error
        case cause => notLoaded(cause)
      }
    }
    context.refresher.schedule(this)
  }

  private def notLoaded(cause: Option[Throwable]): Throwable = EddylineErrors.analysis(
    "EDDYLINE_GLOBAL_TABLE.NOT_LOADED",
    Map("table" -> id.shortName, "error" -> cause.map(RefreshLog.safeMessage).mkString),
    cause = cause)

  override private[globaltable] def failed(error: Throwable): Unit = history.failed(error)

  /** Refreshes; a failure is recorded in [[history]] and leaves the old version in use. */
  private def attempt(demand: Demand): Unit =
    try refresh(demand)
    catch {
      case NonFatal(e) => logWarning(
          s"Global table ${id.shortName} could not be refreshed; queries keep using its version", e)
    }

  private def refresh(demand: Demand): Unit = {
    val asked = System.currentTimeMillis
    refreshing.lockInterruptibly()
    try {
      val isAnswered = demand == Demand.Query && history.isConfirmedSince(asked)
      if (!isAnswered) SessionInternals.detached(context.session(id))(look(demand))
    } catch {
      case NonFatal(e) =>
        history.failed(e)
        report(asked, history.lastError)
        if (current.isEmpty && demand != Demand.User && !state.isDropped) {
          state.version = snapshots.newest
        }
        throw e
    } finally refreshing.unlock()
  }

  private def look(demand: Demand): Unit = {
    val started = System.currentTimeMillis
    state.lastProbe = started
    val source = this.source()
    state.options = source.options
    val kept =
      Option.when(state.isManual && demand != Demand.User)(current.orElse(snapshots.newest))
    kept.flatten match {
      case Some(version) =>
        state.version = Some(version)
        if (options.maxStaleness.isDefined && holds(source, version)) history.succeeded(started)
      case None => advance(source, demand, started).foreach(history.succeeded)
    }
  }

  private def holds(source: Source, version: Version): Boolean =
    source.topic.fold(source.holds(version))(topics.holds(_, version))

  /** Swaps in a new version; returns when the source held it, in ms; None: not known yet. */
  private def advance(source: Source, demand: Demand, started: Long): Option[Long] =
    source.versioned match {
      case Some(versions) =>
        catalogVersions.follow(versions)
        val name = versions.version
        if (!current.exists(_.name == name)) {
          val rows =
            SessionInternals.frame(context.session, versions.at(name, options.primaryKey))
          swap(Version(name, 0, name, rows = Some(SnapshotWriter.check(id, options, rows))))
        }
        Some(started)
      case None =>
        val last = current.orElse(snapshots.newest)
        val held = source.topic match {
          case Some(topic) => Some(topics.advance(source, topic, last))
          case None => watch.advance(source, last, demand)
        }
        held.map(_.version).filterNot(current.contains).foreach(swap)
        if (current.isEmpty) state.version = last
        held.map(_.since)
    }

  private def swap(next: Version): Unit = {
    context.replicas.advance(id, next) {
      state.version = Some(next)
      history.versionSwapped()
    }
    report(state.lastProbe, None)
    snapshots.collect(
      context.settings.keepVersions, context.settings.retention, spare = current)
  }

  /** Tells Spark's UI of a refresh that has made a version or failed. */
  private def report(started: Long, error: Option[String]): Unit = LiveUi.post(
    context.session.sparkContext,
    GlobalTableRefreshed(
      id.shortName,
      current.map(_.name),
      current.flatMap(_.rows),
      current.flatMap(_.bytes),
      started,
      System.currentTimeMillis - started,
      error))

  private def source(): Source = Source.of(id, context).getOrElse {
    if (CatalogEntry.find(id.name, context.session).isDefined) state.replace() else state.drop()
    throw gone
  }

  private def gone: Throwable =
    EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.DROPPED", Map("table" -> id.shortName))
}
