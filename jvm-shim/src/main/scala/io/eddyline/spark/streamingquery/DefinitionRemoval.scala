package io.eddyline.spark.streamingquery

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.classic.SparkSession

import io.eddyline.spark.base.{EddylineErrors, Redaction}
import io.eddyline.spark.streamingquery.store.StoredQuery

/**
 * Removes definitions of queries that [[QueryRegistry]] does not have: those that cannot be loaded,
 * and those whose DROP with PURGE another application has begun.
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
   * @param purge whether PURGE is given: the checkpoint is deleted too
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
    if (purge) deleteCheckpoint(name, stored, term, place)
    else {
      try stored.foreach(folderOf(_).deleteLaterGenerations(requireOwner()))
      catch { case NonFatal(e) => logWarning(s"A failed CREATE may have left files of $name", e) }
    }
    requireOwner()
    location.store.remove(name)
  }

  /** Deletes the checkpoint. First marks the definition, for the server that has to finish it. */
  private def deleteCheckpoint(
      name: String, stored: Option[StoredQuery], term: Option[Long], place: Origin): Unit = {
    def refuse(reason: String) = EddylineErrors.fail(
      "EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED", place, "name" -> name,
      "checkpoint" -> stored.fold("(unknown)") { stored =>
        Redaction.text(session.sessionState.conf, stored.checkpoint)
      },
      "reason" -> reason)
    val definition = stored.getOrElse(refuse("the definition, which names it, cannot be read"))
    val running = registry.all.map(query => query.name -> query.checkpoint)
    (running ++ location.store.checkpointsExcept(name))
      .find { case (_, checkpoint) => CheckpointFolder.overlap(definition.checkpoint, checkpoint) }
      .foreach { case (other, _) => refuse(s"the streaming query $other uses it") }
    val folder = folderOf(definition)
    folder.whyNotDeletable.foreach(refuse)
    location.store.write(definition.copy(running = false, purging = true))(
      location.requireTerm(term, name, place))
    folder.delete()
  }

  private def folderOf(stored: StoredQuery): CheckpointFolder = new CheckpointFolder(
    stored.checkpoint, stored.generation, session.sparkContext.hadoopConfiguration)
}
