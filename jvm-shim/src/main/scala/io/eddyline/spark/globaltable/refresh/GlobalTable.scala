package io.eddyline.spark.globaltable.refresh

import java.time.Duration
import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.locks.ReentrantLock

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.internal.Logging
import org.apache.spark.rpc.eddyline.BroadcastVersions
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base.{EddylineConf, EddylineErrors}
import io.eddyline.spark.globaltable.catalog._
import io.eddyline.spark.globaltable.topic.TopicClient
import io.eddyline.spark.globaltable.version._

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
  extends TableReader with FollowedTable with Logging {
  private[globaltable] val snapshots =
    new Snapshots(context.settings.folderOf(id), context.settings.permissions, context.hadoopConf)
  private val catalogVersions = new CatalogVersions(id, context)
  private val files = new FileRefresh(id, snapshots)
  private[globaltable] val topics =
    new TopicWatch(id, snapshots, context, new TopicClient(id.shortName))
  private val refreshing = new ReentrantLock

  private val now = new AtomicReference(TableState(given, lastUse = Clock.now))
  private val policy = new RefreshPolicy(context.settings.idleTimeout)
  private val staleness = new Staleness(id)(
    probe = () => attempt(RefreshRequest.Query),
    scheduleNow = () => context.refresher.scheduleNow(this))

  /** What is known of the table at the moment. */
  private[globaltable] def state: TableState = now.get

  private def update(change: TableState => TableState): Unit = now.updateAndGet(change(_))

  override def options: GlobalTableOptions = state.options

  override def current: Option[Version] = state.version

  override def age: Option[Long] = state.age(Clock.now)

  override def lastError: Option[String] = state.lastError

  override def counts: RefreshCounts = state.counts

  def status: TableStatus = state.status(Clock.now)

  override private[globaltable] def isReady: Boolean =
    current.isDefined && !state.isSuspended && !state.isStale(Clock.now)

  /** Returns the version for a query; loads the table first. Errors: DROPPED, NOT_LOADED, STALE. */
  override def version(): Version = {
    use()
    if (topics.want()) attempt(RefreshRequest.Query)
    // another application, which refreshes more often, may have removed its snapshot
    val isCollected = state.isManual &&
      current.exists(version => !version.isOfCatalog && snapshots.find(version.name).isEmpty)
    if (isCollected) setVersion(snapshots.newest)
    staleness.awaitFresh(() => state)
    current.getOrElse(throw notLoaded(state.error))
  }

  override private[globaltable] def confirmed(
      bound: Option[Duration]): (Version, Option[Long]) = {
    val version = this.version()
    if (state.isAging(Clock.now, bound)) attempt(RefreshRequest.Query)
    val now = state
    now.version.getOrElse(version) -> now.confirmed
  }

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

  override private[globaltable] def driverRows(
      version: Version, output: Seq[AttributeReference]): Option[LogicalPlan] =
    topics.rows(version, output)

  override private[globaltable] def changes(
      version: Version,
      output: Seq[AttributeReference],
      session: SparkSession): Option[(Version, LogicalPlan)] = version.base.map { name =>
    val base = snapshots.findBase(name).getOrElse(throw versionGone(version.name))
    val columns = output :+ ChangedRelation.deleted(output.map(_.name))
    base -> topics.changes(version, columns).getOrElse {
      snapshots.listed(version)(SnapshotRelation(_, columns, session))
        .getOrElse(throw versionGone(version.name))
    }
  }

  /** Loads or refreshes now; raises the error if that fails. */
  private[globaltable] def refresh(): Unit = {
    update(_.copy(lastUse = Clock.now, isSuspended = false, retries = 0))
    topics.want()
    try refresh(RefreshRequest.User)
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
    update(_.copy(options = options))
    try {
      current.flatMap(_.rows).foreach(SnapshotWriter.requireSize(id, options, _, bytes = 0))
      if (options.latestBy != before.latestBy) refresh()
      else context.refresher.schedule(this)
    } catch {
      case e: Throwable =>
        update(_.copy(options = before))
        throw e
    }
  }

  /**
   * Takes one turn of the refresher, which is empty if a statement refreshes the table already. A
   * table that no query uses is forgotten once the catalog no longer has it, whatever statement has
   * dropped it.
   */
  override private[globaltable] def runOnce(): Unit = {
    context.replicas.releaseIdle()
    val asked = Clock.now
    // in one step, or a query that comes in between would not let the probes begin again
    update(state => if (policy.isIdle(state, asked)) state.copy(isSuspended = true) else state)
    if (policy.isIdle(state, asked)) {
      context.replicas.release(id)
      topics.close()
      if (isThere.contains(false)) {
        context.forget(id)
        context.refresher.forget(this) // a statement that failed by the DROP has scheduled it
      }
    } else if (state.isProbed && refreshing.tryLock()) {
      try attempt(RefreshRequest.Background)
      finally refreshing.unlock()
    }
  }

  /** Whether the catalog has the table; None if it cannot be asked. */
  private[refresh] def isThere: Option[Boolean] =
    Try(CatalogEntry.find(id.name, context.session).exists(_.id == id)).toOption

  /** Time until the next turn, which probes the source or checks whether the table is idle. */
  override private[globaltable] def nextTurn: Duration = {
    val next = policy.nextTurn(state, Clock.now)
    if (refreshing.isLocked) Seq(next, RefreshPolicy.SOON).max else next
  }

  /** Marks the table as replaced by another one of its name, so that running queries fail. */
  private[globaltable] def replace(): Unit = update(_.copy(isDropped = true, isReplaced = true))

  /** Runs `work` while this table cannot refresh, so that none sees a state in between. */
  private[globaltable] def withRefreshPaused[T](work: => T): T = {
    refreshing.lockInterruptibly()
    try work
    finally refreshing.unlock()
  }

  /** Marks the table as dropped and removes its snapshots, for DROP GLOBAL TABLE. */
  private[globaltable] def drop(): Unit = {
    update(_.copy(isDropped = true))
    withRefreshPaused {
      topics.close()
      snapshots.drop()
    }
  }

  override private[globaltable] def noteUse(): Unit = {
    update(_.copy(lastUse = Clock.now))
    val isDue = state.isAging(Clock.now) || isUnread && state.error.isEmpty
    if (isDue && !refreshing.isLocked) context.refresher.scheduleNow(this)
  }

  override private[refresh] def hasFollowers: Boolean =
    state.isProbed && !state.isDropped && context.replicas.live.follows(id)

  /** Whether a thread is to follow the topic, and none does. */
  private def isUnread: Boolean =
    current.exists(_.topic.isDefined) && !topics.isFollowing && hasFollowers

  override private[globaltable] def send(): Unit = topics.send()

  override private[globaltable] def numberOf(version: Version): Option[Long] =
    topics.numberOf(version)

  override private[globaltable] def limit: Option[BroadcastVersions.StalenessLimit] =
    state.limit(id, Clock.now)

  /** Notes that a query uses the table; loads it, or probes its source if it was suspended. */
  private def use(): Unit = {
    update(_.copy(lastUse = Clock.now))
    if (state.isReplaced) {
      if (!isThere.contains(true)) throw gone
      update(_.returned)
      context.refresher.schedule(this)
    }
    val isLoaded = current.isDefined
    if (!isLoaded || state.isSuspended) {
      update(_.copy(isSuspended = false))
      try
        if (!isLoaded || state.isProbed && options.staleWait.isEmpty) attempt(RefreshRequest.Query)
      finally if (current.isDefined) context.refresher.schedule(this) // also if it is interrupted
      if (current.isEmpty) throw notLoaded(state.error)
    }
  }

  /** Returns the cause if it is an error of ours, else NOT_LOADED because of it. */
  private def notLoaded(cause: Option[Throwable]): Throwable =
    cause.filter(EddylineErrors.isOurs).getOrElse {
      EddylineErrors.analysis(
        "EDDYLINE_GLOBAL_TABLE.NOT_LOADED",
        Map("table" -> id.shortName, "error" -> cause.map(TableState.safeMessage).mkString),
        cause = cause)
    }

  override private[globaltable] def failed(error: Throwable): Unit = update(_.failed(error))

  private def setVersion(version: Option[Version]): Unit = update(_.copy(version = version))

  /** Refreshes; a failure is recorded in [[state]] and leaves the old version in use. */
  private def attempt(request: RefreshRequest): Unit =
    try refresh(request)
    catch {
      case NonFatal(e) =>
        logWarning(
          s"Global table ${id.shortName} could not be refreshed; queries keep using version " +
            current.fold("none")(_.name), e)
    }

  private def refresh(request: RefreshRequest): Unit = context.barrier.refresh {
    val asked = Clock.now
    refreshing.lockInterruptibly()
    try {
      // unless another thread has refreshed meanwhile
      if (request != RefreshRequest.Query || !state.confirmed.exists(_ >= asked)) {
        SessionInternals.detached(context.session(id))(advance(request))
      }
    } catch {
      case NonFatal(e) =>
        failed(e)
        context.refreshed(this, asked, state.lastError)
        if (current.isEmpty && request != RefreshRequest.User && !state.isDropped) {
          setVersion(snapshots.newest)
        }
        throw e
    } finally refreshing.unlock()
  }

  private def advance(request: RefreshRequest): Unit = {
    val started = Clock.now
    update(_.copy(lastProbe = started))
    val before = options
    val source = this.source()
    // unless ALTER has replaced them meanwhile
    update(state => if (state.options eq before) state.copy(options = source.options) else state)
    val kept =
      if (state.isManual && request != RefreshRequest.User) current.orElse(snapshots.newest)
      else None
    kept match {
      case Some(version) =>
        setVersion(kept)
        if (options.maxStaleness.isDefined) {
          confirm(source, version, started).foreach(found => update(_.succeeded(found.since)))
        }
      case None => advance(source, request, started) match {
          case RefreshResult.Confirmed(version, since) =>
            val recovers = state.error.nonEmpty && current.contains(version)
            if (!current.contains(version)) swap(version)
            else if (recovers) context.replicas.catchUp(id)
            update(_.succeeded(since))
            if (recovers) context.refreshed(this, started, None)
            if (isUnread) source.topic.foreach(topics.follow(source, _, version, this))
          case RefreshResult.Undecided => update(_.copy(isWaiting = true))
        }
    }
  }

  private def confirm(
      source: Source, version: Version, started: Long): Option[RefreshResult.Confirmed] =
    source.topic.fold(source.confirm(version, started)) { topic =>
      Option.when(topics.isAtEnd(topic, version))(RefreshResult.Confirmed(version, Some(started)))
    }

  /** Returns the version that the source holds now, with its rows written if they are copied. */
  private def advance(source: Source, request: RefreshRequest, started: Long): RefreshResult =
    source.versioned match {
      case Some(versions) =>
        catalogVersions.follow(versions)
        val name = versions.table.version
        current.filter(source.isAt(versions, _)) match {
          case Some(version) => RefreshResult.Confirmed(version, Some(started))
          case None =>
            val rows =
              SessionInternals.frame(context.session, versions.at(name, options.primaryKey))
            val count = SnapshotWriter.check(id, options, rows)
            RefreshResult.Confirmed(
              Version(name, 0, source.fingerprint(versions), rows = Some(count)), Some(started))
        }
      case None =>
        val last = current.orElse(snapshots.newest)
        val result = source.topic match {
          case Some(topic) => topics.advance(source, topic, last)
          case None => files.advance(source, last, request,
              (probe, draft) =>
                new SnapshotWriter(source, probe, context.session)
                  .write(draft, source.fingerprint(probe)))
        }
        if (result == RefreshResult.Undecided && current.isEmpty) setVersion(last)
        result
    }

  private def swap(next: Version): Unit = {
    context.refresher.building {
      context.replicas.advance(id, next)(update(_.refreshed(next, Clock.now)))
    }
    context.refreshed(this, state.lastProbe, None)
    snapshots.collect(
      context.settings.keepVersions, context.settings.retention, spare = current)
  }

  private def source(): Source = {
    val wasDropped = state.isDropped
    val source = Source.of(id, context).getOrElse {
      if (CatalogEntry.find(id.name, context.session).isDefined) replace()
      else update(_.copy(isDropped = true))
      throw gone
    }
    if (wasDropped) update(_.returned)
    source
  }

  private def gone: Throwable =
    EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.DROPPED", Map("table" -> id.shortName))
}
