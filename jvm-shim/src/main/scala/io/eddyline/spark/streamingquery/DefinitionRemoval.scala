package io.eddyline.spark.streamingquery

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
    registry: QueryRegistry, location: LeasedLocation, session: SparkSession) {

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
    if (purge) this.purge(name, stored, term, place)
    location.requireTerm(term, name, place)
    location.store.remove(name)
  }

  private def purge(
      name: String, stored: Option[StoredQuery], term: Option[Long], place: Origin): Unit = {
    val checkpoint = stored.map(_.checkpoint)
    def refuse(reason: String) = EddylineErrors.fail(
      "EDDYLINE_STREAMING_QUERY.CHECKPOINT_NOT_DELETED", place, "name" -> name,
      "checkpoint" -> checkpoint.fold("(unknown)")(Redaction.text(session.sessionState.conf, _)),
      "reason" -> reason)
    val path = checkpoint.getOrElse(refuse("its definition cannot be read, which says where it is"))
    val running = registry.all.map(query => query.name -> query.checkpoint)
    (running ++ location.store.checkpointsBeside(name))
      .find(other => CheckpointFolder.overlap(path, other._2))
      .foreach { case (other, _) => refuse(s"the streaming query $other uses it") }
    val folder = new CheckpointFolder(path, session.sparkContext.hadoopConfiguration)
    folder.notDeletable.foreach(refuse)
    stored.foreach { stored => // as in PersistentStreamingQuery.purge
      val marked = stored.copy(running = false, purging = true)
      location.store.write(marked)(location.requireTerm(term, name, place))
    }
    folder.delete()
  }
}
