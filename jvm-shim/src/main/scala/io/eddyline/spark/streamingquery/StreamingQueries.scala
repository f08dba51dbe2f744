package io.eddyline.spark.streamingquery

import java.util.Locale

import scala.collection.mutable

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}
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
      session: SparkSession): ManagedStreamingQuery = find(definition.name) match {
    case Some(existing) if ifNotExists => existing
    case _ =>
      val query = new ManagedStreamingQuery(
        definition,
        checkpointOf(definition, session),
        CurrentUserContext.getCurrentUser,
        Sessions.copyOf(session))
      val added = add(query, ifNotExists)
      if (added eq query) {
        try query.start(definition.place)
        catch {
          case e: Throwable =>
            drop(query)
            throw e
        }
      }
      added
  }

  /** Stops a query and forgets it. */
  def drop(query: ManagedStreamingQuery): Unit = {
    query.drop()
    synchronized {
      if (queries.get(key(query.name)).exists(_ eq query)) queries.remove(key(query.name))
    }
  }

  /** The query, or the one of that name that there was. */
  private def add(query: ManagedStreamingQuery, ifNotExists: Boolean): ManagedStreamingQuery =
    synchronized {
      val place = query.definition.place
      find(query.name) match {
        case Some(existing) if ifNotExists => existing
        case Some(existing) =>
          fail("EXISTS", place, "name" -> query.name, "status" -> existing.status.name)
        case None =>
          queries.values.find(_.checkpoint == query.checkpoint).foreach { other =>
            fail("CHECKPOINT_IN_USE", place,
              "checkpoint" -> query.checkpoint, "other" -> s"the streaming query ${other.name}")
          }
          queries.put(key(query.name), query)
          query
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
  private val byContext = mutable.Map.empty[SparkContext, StreamingQueries]

  def of(session: sql.SparkSession): StreamingQueries = byContext.synchronized {
    val context = session.sparkContext
    byContext.getOrElseUpdate(context, {
      context.addSparkListener(new SparkListener {
        override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit =
          byContext.synchronized(byContext.remove(context))
      })
      new StreamingQueries
    })
  }
}
