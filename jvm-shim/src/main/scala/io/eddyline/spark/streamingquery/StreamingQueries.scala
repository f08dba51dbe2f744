package io.eddyline.spark.streamingquery

import java.util.concurrent.TimeUnit

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.util.ShutdownHookManager
import org.apache.spark.sql
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.base._
import io.eddyline.spark.placeholder.StatementText
import io.eddyline.spark.streamingquery.store.FileName

/**
 * The streaming queries that SQL started in any session of this JVM, and the persistent ones of its
 * location.
 *
 * Statements that change a query have the lock of its name; those that only read it do not wait.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_MISSING, CHECKPOINT_OVERLAPS, INVALID_CHECKPOINT,
 * NAME_TOO_LONG, NOT_FOUND, and those of [[QueryRegistry]] and [[PersistentQueries]].
 */
private[spark] class StreamingQueries(any: SparkSession) {
  private val registry = new QueryRegistry
  private val locks = new NameLocks
  private val settings = new StreamingQuerySettings(any.sparkContext.getConf)
  private val rights = new QueryRights(any.sparkContext, settings.admins)
  private val persistent = new PersistentQueries(registry, locks, rights, settings, any)

  def all: Seq[ManagedStreamingQuery] = registry.all

  /**
   * The queries here, and the stored ones that are not or are no longer. One that is loaded
   * meanwhile is shown once. A persistent query is shown while its definition is stored, even if
   * CREATE or DROP is still running.
   */
  def overview: Seq[Row] = {
    val here = all.filter {
      case persistent: PersistentStreamingQuery => persistent.isStored && !persistent.isLost
      case _ => true
    }
    val names = here.filter(_.isPersistent).map(query => FileName.key(query.name)).toSet
    here.map(QueryRows.overview) ++ persistent.unloaded(names)
  }

  def find(name: String, place: Origin): Option[ManagedStreamingQuery] =
    registry.find(name).orElse(persistent.find(name, place))

  def get(name: String, place: Origin): ManagedStreamingQuery =
    find(name, place).getOrElse(notFound(name, place))

  /**
   * Runs a statement that changes a query, while no other one does; returns what became of the
   * query. Errors: NOT_ALLOWED.
   */
  def change(name: String, place: Origin)(statement: ManagedStreamingQuery => Unit): Row =
    locks.hold(name) {
      val query = persistent.findForUpdate(name, place).getOrElse(notFound(name, place))
      rights.require(query.name, Some(query.user), place)
      statement(query)
      QueryRows.control(query)
    }

  /** Starts a transient query, and returns what became of it; removes it if it cannot start. */
  def start(
      definition: StreamingQueryDefinition,
      ifNotExists: Boolean,
      session: SparkSession): Row = locks.hold(definition.name) {
    persistent.findForStart(definition.name, definition.place) match {
      case Some(existing) if ifNotExists => QueryRows.control(existing)
      case _ =>
        val checkpoint = checkpointOf(definition, session)
        val generation = CheckpointFolder.newest(checkpoint, session.sessionState.newHadoopConf())
        val query = new ManagedStreamingQuery(
          definition, checkpoint, generation, QuerySession.copyOf(session), () => registry.all)
        registry.add(query)
        try {
          persistent.requireNoSharedFiles(query)
          query.start(definition.place)
        } catch {
          case e: Throwable =>
            registry.remove(query)
            query.release()
            throw e
        }
        QueryRows.control(query)
    }
  }

  /** Stores and starts a persistent query; returns what became of it. */
  def create(
      statement: DefinesStreamingQuery with StatementText,
      mode: CreateMode,
      session: SparkSession): Row = locks.hold(statement.definition.name) {
    QueryRows.control(
      persistent.create(statement, checkpointOf(statement.definition, session), session, mode))
  }

  /** Compares a new definition with the query of its name, which exists. */
  def replacement(
      statement: DefinesStreamingQuery with StatementText, session: SparkSession): Replacement = {
    val definition = statement.definition
    val old = get(definition.name, definition.place)
    val checkpoint = checkpointOf(definition, session)
    val generation = old.generationIn(checkpoint)
    val candidate =
      if (old.isPersistent) persistent.candidate(statement, checkpoint, generation, session)
      else
        new ManagedStreamingQuery(
          definition, checkpoint, generation, QuerySession.copyOf(session), () => registry.all)
    new Replacement(old, candidate, definition.place)
  }

  /**
   * Stops a query and removes it, and its checkpoint if `purge` says so. The name is free once that
   * is done.
   */
  def drop(name: String, ifExists: Boolean, purge: Boolean, place: Origin): Option[Row] =
    locks.hold(name) {
      persistent.dropBroken(name, purge, place).orElse(
        persistent.findForUpdate(name, place) match {
          case None if ifExists => None
          case None => notFound(name, place)
          case Some(query) =>
            rights.require(query.name, Some(query.user), place)
            if (purge) {
              query.requireDeletable(place)
              query.purge(place)
            }
            try query.drop(place)
            finally if (!query.isStored) registry.remove(query)
            Some(QueryRows.dropped(
                query.name, query.id, query.runId, Some(query.redact(query.checkpoint))))
        })
    }

  private def notFound(name: String, place: Origin): Nothing =
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.NOT_FOUND", place, "name" -> name)

  private def checkpointOf(definition: StreamingQueryDefinition, session: SparkSession): String = {
    val conf = session.sessionState.conf
    val checkpoint = definition.checkpoint.orElse(
      conf.getConf(SQLConf.CHECKPOINT_LOCATION).map(root => s"$root/${folderOf(definition)}"))
    val given = checkpoint.getOrElse {
      // who has forgotten STREAM needs to know that first
      ResolvedQuery.resolve(definition, QuerySession.copyOf(session), definition.place)
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_MISSING", definition.place,
        "name" -> definition.name)
    }
    val path = qualified(given, given, definition, session)
    ifUsable(given, definition, session) { // that of http cannot list what a checkpoint has
      val files = path.getFileSystem(session.sessionState.newHadoopConf())
      if (files.exists(path)) files.listStatusIterator(path).hasNext: Unit
    }
    requireApart(path, definition, session)
    path.toString
  }

  /**
   * Returns a path with its file system.
   *
   * @param shown what an error calls the path
   */
  private def qualified(
      given: String,
      shown: String,
      definition: StreamingQueryDefinition,
      session: SparkSession): Path = ifUsable(shown, definition, session) {
    val path = new Path(given)
    path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path)
  }

  private def ifUsable[T](
      checkpoint: String,
      definition: StreamingQueryDefinition,
      session: SparkSession)(use: => T): T =
    try use
    catch {
      case RecoverableError(e) => // also a file system that cannot be loaded
        val conf = session.sessionState.conf
        val reason = e match {
          case _: UnsupportedOperationException => "its file system cannot list a folder"
          case _ => String.valueOf(e.getMessage)
        }
        EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.INVALID_CHECKPOINT", definition.place,
          "checkpoint" -> Redaction.text(conf, checkpoint),
          "reason" -> Redaction.text(conf, reason))
    }

  /**
   * Refuses a checkpoint that contains the folder in which those of others lie, and one that meets
   * the folder of the definitions or of the snapshots of global tables.
   */
  private def requireApart(
      path: Path, definition: StreamingQueryDefinition, session: SparkSession): Unit = {
    val key = SQLConf.CHECKPOINT_LOCATION.key
    val static = session.sparkContext.getConf
    val roots = session.conf.getOption(key).toSeq ++ static.getOption(key)
    val containing = roots.map(root => qualified(root, s"$root ($key)", definition, session))
      .find(CheckpointFolder.isWithin(_, path)).map(_ => key)
    val own = Seq(
      EddylineConf.STREAMING_QUERY_LOCATION.key -> settings.location,
      EddylineConf.GLOBAL_TABLE_SNAPSHOT_LOCATION.key ->
        new Path(EddylineConf.snapshotLocation(static)))
    val conf = session.sessionState.newHadoopConf()
    val files = path.getFileSystem(conf)
    def isOwn(folder: Path) = CheckpointFolder.meets(
      path.toString,
      folder.makeQualified(FileSystem.getDefaultUri(conf), files.getWorkingDirectory))
    val meeting = own.collectFirst { case (key, folder) if isOwn(folder) => s"$folder ($key)" }
    containing.orElse(meeting).foreach { other =>
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_OVERLAPS", definition.place,
        "checkpoint" -> definition.redact(session.sessionState.conf, path.toString),
        "other" -> other)
    }
  }

  private def folderOf(definition: StreamingQueryDefinition): String =
    FileName.of(definition.name).getOrElse(EddylineErrors.fail(
        "EDDYLINE_STREAMING_QUERY.NAME_TOO_LONG", definition.place,
        "name" -> definition.name, "file" -> "checkpoint folder",
        "bytes" -> FileName.MAX_BYTES.toString))
}

object StreamingQueries {

  /** Before Spark's own hooks, which stop the context. */
  private val SHUTDOWN_PRIORITY = 60
  private val SHUTDOWN_MINUTES = 10L

  private val applications = new PerApplication[StreamingQueries](_.persistent.leaveLease())

  private lazy val atExit: Unit = ShutdownHookManager.get().addShutdownHook(
    () => applications.all.foreach(_.persistent.close()), SHUTDOWN_PRIORITY, SHUTDOWN_MINUTES,
    TimeUnit.MINUTES)

  private[spark] def of(session: sql.SparkSession): StreamingQueries = {
    atExit
    applications.of(session.sparkContext)(new StreamingQueries(session.asInstanceOf[SparkSession]))
  }

  /** Must be called for each session: the first one may start the queries that were running. */
  def beginAtStart(session: sql.SparkSession): Unit =
    if (new StreamingQuerySettings(session.sparkContext.getConf).autoStart) {
      of(session).persistent.begin()
    }
}
