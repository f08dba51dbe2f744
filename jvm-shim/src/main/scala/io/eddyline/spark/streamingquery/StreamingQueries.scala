package io.eddyline.spark.streamingquery

import java.util.{Locale, WeakHashMap}

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext
import org.apache.spark.sql
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.Sessions
import org.apache.spark.sql.internal.SQLConf

import io.eddyline.spark.EddylineErrors

/**
 * The streaming queries that SQL started in this JVM, by name, whatever session started them. Names
 * are unique and their case does not matter.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE, CHECKPOINT_MISSING, EXISTS, NOT_FOUND.
 */
private[streamingquery] class StreamingQueries {
  private val queries = mutable.LinkedHashMap.empty[String, ManagedStreamingQuery]

  def all: Seq[ManagedStreamingQuery] = synchronized(queries.values.toSeq)

  def find(name: String): Option[ManagedStreamingQuery] = synchronized(queries.get(key(name)))

  def get(name: String, place: Origin): ManagedStreamingQuery = find(name).getOrElse(
    fail("NOT_FOUND", place, "name" -> name))

  /** Makes and starts a query; one that cannot start leaves nothing behind. */
  def start(
      definition: StreamingQueryDefinition,
      ifNotExists: Boolean,
      session: SparkSession): ManagedStreamingQuery =
    add(definition, ifNotExists, session) match {
      case (existing, false) => existing
      case (query, true) =>
        try {
          query.start()
          query
        } catch {
          case e: Throwable =>
            remove(query.name)
            throw e
        }
    }

  def remove(name: String): Unit = synchronized(queries.remove(key(name)))

  /** The query of that name, and whether it was added. */
  private def add(
      definition: StreamingQueryDefinition,
      ifNotExists: Boolean,
      session: SparkSession): (ManagedStreamingQuery, Boolean) = synchronized {
    val place = definition.place
    find(definition.name) match {
      case Some(existing) if ifNotExists => (existing, false)
      case Some(existing) =>
        fail("EXISTS", place, "name" -> definition.name, "status" -> existing.status.name)
      case None =>
        val checkpoint = checkpointOf(definition, session)
        queries.values.find(_.checkpoint == checkpoint).foreach { other =>
          fail("CHECKPOINT_IN_USE", place, "checkpoint" -> checkpoint, "other" -> other.name)
        }
        val user = CurrentUserContext.getCurrentUser
        val query =
          new ManagedStreamingQuery(definition, checkpoint, user, Sessions.copyOf(session))
        queries.put(key(definition.name), query)
        (query, true)
    }
  }

  private def checkpointOf(definition: StreamingQueryDefinition, session: SparkSession): String = {
    val given = definition.checkpoint.orElse(
      session.sessionState.conf.getConf(SQLConf.CHECKPOINT_LOCATION)
        .map(root => new Path(root, definition.name).toString))
    val path = new Path(given.getOrElse(
      fail("CHECKPOINT_MISSING", definition.place, "name" -> definition.name)))
    path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path).toString
  }

  private def key(name: String): String = name.toLowerCase(Locale.ROOT)

  private def fail(condition: String, place: Origin, parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(
      s"EDDYLINE_STREAMING_QUERY.$condition", parameters.toMap, place)
}

private[streamingquery] object StreamingQueries {
  private val byContext = new WeakHashMap[SparkContext, StreamingQueries]

  def of(session: sql.SparkSession): StreamingQueries = byContext.synchronized {
    byContext.computeIfAbsent(session.sparkContext, _ => new StreamingQueries)
  }
}
