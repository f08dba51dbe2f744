package io.eddyline.spark.streamingquery

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.base.{EddylineErrors, Redaction}
import io.eddyline.spark.streamingquery.store.StoredQuery

/**
 * Removes the definitions of queries that are not loaded.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED, and those of [[LeasedLocation]].
 */
private[streamingquery] class DefinitionRemoval(
    registry: QueryRegistry, location: LeasedLocation, session: SparkSession)
  extends Logging {

  /**
   * Removes a definition.
   *
   * @param stored the definition; None if it cannot be read
   * @param purge whether the checkpoint is deleted too
   * @param term the term in which the definition was read
   */
  def remove(
      name: String,
      stored: Option[StoredQuery],
      purge: Boolean,
      term: Option[Long],
      place: Origin): Unit = {
    def requireOwner(): Unit = location.requireTerm(term, name, place)
    requireOwner()
    if (purge) this.purge(name, stored, term, place)
    else {
      try stored.foreach(folderOf(_).deleteLater(requireOwner()))
      catch { case NonFatal(e) => logWarning(s"The checkpoint of $name may have unused parts", e) }
    }
    requireOwner()
    location.store.remove(name)
  }

  private def purge(
      name: String, stored: Option[StoredQuery], term: Option[Long], place: Origin): Unit = {
    def refuse(reason: String) = EddylineErrors.fail(
      "EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED", place, "name" -> name,
      "checkpoint" -> stored.fold("(unknown)") { stored =>
        Redaction.text(session.sessionState.conf, stored.checkpoint)
      },
      "reason" -> reason)
    val definition =
      stored.getOrElse(refuse("its definition cannot be read, which says where it is"))
    val running = registry.all.map(query => query.name -> query.checkpoint)
    (running ++ location.store.checkpointsBeside(name))
      .find(other => CheckpointFolder.overlap(definition.checkpoint, other._2))
      .foreach { case (other, _) => refuse(s"the streaming query $other uses it") }
    val folder = folderOf(definition)
    folder.notDeletable.foreach(refuse)
    val marked = definition.copy(running = false, purging = true) // as PersistentStreamingQuery
    location.store.write(marked)(location.requireTerm(term, name, place))
    folder.delete()
  }

  private def folderOf(stored: StoredQuery): CheckpointFolder = new CheckpointFolder(
    stored.checkpoint, stored.generation, session.sparkContext.hadoopConfiguration)
}
