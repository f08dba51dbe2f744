package io.eddyline.spark.streamingquery

import scala.collection.mutable

import io.eddyline.spark.EddylineErrors
import io.eddyline.spark.streamingquery.store.FileName

/**
 * The streaming queries that this application may start, by name, in the order in which they were
 * defined. Names are unique and case-insensitive; no two queries have one checkpoint.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS, CHECKPOINT_IN_USE.
 */
private[streamingquery] class QueryRegistry {
  private val queries = mutable.LinkedHashMap.empty[String, ManagedStreamingQuery]

  def all: Seq[ManagedStreamingQuery] = synchronized(queries.values.toSeq)

  def find(name: String): Option[ManagedStreamingQuery] =
    synchronized(queries.get(FileName.key(name)))

  /** Adds a query; returns false if one of its name exists and `ifNotExists` allows that. */
  def add(query: ManagedStreamingQuery, ifNotExists: Boolean): Boolean = synchronized {
    find(query.name) match {
      case Some(_) if ifNotExists => false
      case Some(existing) => throw EddylineErrors.analysis(
          "EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS",
          Map("name" -> query.name, "status" -> existing.status.name), query.definition.place)
      case None =>
        put(query)
        true
    }
  }

  /** Puts a query in the place of another one of its name. */
  def replace(old: ManagedStreamingQuery, query: ManagedStreamingQuery): Unit = synchronized {
    remove(old)
    try put(query)
    catch {
      case e: Throwable =>
        put(old)
        throw e
    }
  }

  def remove(query: ManagedStreamingQuery): Unit = synchronized {
    if (find(query.name).exists(_ eq query)) queries.remove(FileName.key(query.name))
  }

  /** Ends queries, all at the same time; a failure to end one does not keep the others. */
  def end(queries: Seq[ManagedStreamingQuery] = all): Unit = {
    val threads = queries.map(query => new Thread(() => query.end(), s"end of ${query.name}"))
    threads.foreach(_.start())
    threads.foreach(_.join())
  }

  private def put(query: ManagedStreamingQuery): Unit = {
    queries.values.find(_.checkpoint == query.checkpoint).foreach { other =>
      throw EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE",
        Map(
          "checkpoint" -> query.shown(query.checkpoint),
          "other" -> s"the streaming query ${other.name}"), query.definition.place)
    }
    queries.put(FileName.key(query.name), query)
  }
}
