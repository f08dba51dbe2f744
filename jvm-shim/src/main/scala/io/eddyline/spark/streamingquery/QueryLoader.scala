package io.eddyline.spark.streamingquery

import java.time.Instant
import java.util.concurrent.TimeUnit

import com.google.common.cache.CacheBuilder
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.base.{EddylineErrors, RecoverableError}
import io.eddyline.spark.placeholder.StatementText
import io.eddyline.spark.streamingquery.store.{FileName, StoredQuery}

/**
 * Makes persistent queries of their definitions, each in a session of its own.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.INVALID_DEFINITION, those of [[DefinitionCheck]], and what the
 * parser says of a stored statement.
 *
 * @param base a session without changes
 */
private[streamingquery] class QueryLoader(
    base: SparkSession,
    location: LeasedLocation,
    settings: StreamingQuerySettings,
    registered: () => Seq[ManagedStreamingQuery]) {

  /** Targets by definitions: SHOW asks for all at each time, and a catalog may not answer. */
  private val targets = CacheBuilder.newBuilder().maximumSize(1000)
    .expireAfterWrite(1, TimeUnit.MINUTES).build[StoredQuery, Option[String]]()

  /**
   * Returns a query as another application would load it.
   *
   * @param term the term for which the statement was checked
   */
  def define(
      statement: DefinesStreamingQuery with StatementText,
      checkpoint: String,
      generation: Int,
      session: SparkSession,
      term: Option[Long]): PersistentStreamingQuery = {
    val definition = statement.definition
    val catalogs = session.sessionState.catalogManager
    load(
      FileName.key(definition.name),
      StoredQuery(
        definition.name, statement.text, catalogs.currentCatalog.name,
        catalogs.currentNamespace.toSeq, DefinitionCheck.confs(session, base, definition),
        CurrentUserContext.getCurrentUser, checkpoint, generation, definition.comment,
        Instant.now().toString, running = true, purging = false),
      term,
      autoRestart = true)
  }

  /** Returns the table into which a definition writes; None if it cannot be loaded. */
  def targetOf(key: String, stored: StoredQuery): Option[String] = targets.get(stored,
    () =>
      try Some(load(key, stored, None, autoRestart = false).definition.sink.tableName)
      catch { case RecoverableError(_) => None })

  /**
   * Makes a query of a definition, in a session as the one that created it.
   *
   * @param term the term in which the definition was read
   */
  def load(
      key: String,
      stored: StoredQuery,
      term: Option[Long],
      autoRestart: Boolean): PersistentStreamingQuery = {
    val session = base.newSession()
    stored.confs.foreach { case (key, value) =>
      session.sessionState.conf.setConfString(key, value)
    }
    session.sessionState.catalogManager.setCurrentCatalog(stored.catalog)
    session.sessionState.catalogManager.setCurrentNamespace(stored.namespace.toArray)
    val own = new QuerySession(
      session, stored.user, () => location.requireTerm(term, stored.name, Origin()))
    own.as(session.withActive(session.sessionState.sqlParser.parsePlan(stored.statement))) match {
      case statement: DefinesStreamingQuery with StatementText
          if Seq(statement.definition.name, stored.name).forall(FileName.key(_) == key) =>
        new PersistentStreamingQuery(
          statement.definition, own, stored, location, term, new Backoff(settings.maxRestarts),
          autoRestart, registered)
      case _ => throw EddylineErrors.analysis(
          "EDDYLINE_STREAMING_QUERY.INVALID_DEFINITION",
          Map("name" -> stored.name, "reason" -> "its statement defines no query of this name"))
    }
  }
}
