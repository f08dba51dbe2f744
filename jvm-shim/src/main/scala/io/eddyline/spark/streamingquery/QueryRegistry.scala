package io.eddyline.spark.streamingquery

import scala.collection.mutable

import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.streamingquery.store.FileName

/**
 * The streaming queries that this application may start, in the order in which they were added.
 * Names are unique and case-insensitive; no two queries share a checkpoint.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS, CHECKPOINT_IN_USE, CHECKPOINT_OVERLAPS.
 */
private[streamingquery] class QueryRegistry {
  private val queries = mutable.LinkedHashMap.empty[String, ManagedStreamingQuery]

  def all: Seq[ManagedStreamingQuery] = synchronized(queries.values.toSeq)

  def persistent: Seq[PersistentStreamingQuery] =
    all.collect { case query: PersistentStreamingQuery => query }

  def find(name: String): Option[ManagedStreamingQuery] =
    synchronized(queries.get(FileName.key(name)))

  def add(query: ManagedStreamingQuery): Unit = synchronized {
    find(query.name).foreach { existing =>
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS", query.definition.place,
        "name" -> query.name, "status" -> existing.status.name)
    }
    put(query)
  }

  /** Checks that `replace` would succeed: no query but `old` may share the new one's checkpoint. */
  def requireReplaceable(old: ManagedStreamingQuery, query: ManagedStreamingQuery): Unit =
    synchronized(requireApart(query, queries.values.filterNot(_ eq old)))

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

  /** Removes a query, unless another one has its name by now. */
  def remove(query: ManagedStreamingQuery): Unit = synchronized {
    if (find(query.name).exists(_ eq query)) queries.remove(FileName.key(query.name))
  }

  private def put(query: ManagedStreamingQuery): Unit = {
    requireApart(query, queries.values)
    queries.put(FileName.key(query.name), query)
  }

  private def requireApart(
      query: ManagedStreamingQuery, others: Iterable[ManagedStreamingQuery]): Unit =
    others.foreach(other => QueryRegistry.requireApart(query, other.name, other.checkpoint))
}

private[streamingquery] object QueryRegistry {

  /** Checks that the checkpoint of a query lies apart from that of another one, named `other`. */
  def requireApart(query: ManagedStreamingQuery, other: String, checkpoint: String): Unit = {
    val (place, shown) = (query.definition.place, query.redact(query.checkpoint))
    if (query.checkpoint == checkpoint) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_IN_USE", place,
        "checkpoint" -> shown, "other" -> s"the streaming query $other")
    }
    if (CheckpointFolder.overlap(query.checkpoint, checkpoint)) {
      EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.CHECKPOINT_OVERLAPS", place,
        "checkpoint" -> shown, "other" -> s"the checkpoint of the streaming query $other")
    }
  }
}
