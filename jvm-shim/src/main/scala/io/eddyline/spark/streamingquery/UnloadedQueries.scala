package io.eddyline.spark.streamingquery

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row

import io.eddyline.spark.base.{EddylineErrors, RecoverableError}
import io.eddyline.spark.streamingquery.store.StoredQuery

/**
 * What SHOW STREAMING QUERIES says about the stored queries that this application does not have; it
 * may have failed to load them. One whose DROP … PURGE has begun counts as gone, unless that has
 * failed here.
 *
 * @param broken why the query of a key could not be loaded
 */
private[streamingquery] class UnloadedQueries(
    registry: QueryRegistry,
    location: LeasedLocation,
    loader: QueryLoader,
    broken: String => Option[BrokenDefinition]) {
  private lazy val hasOtherOwner = location.hasOtherOwner

  /**
   * Returns them by name. If the store cannot be read, that is said in their place.
   *
   * @param loaded whether the query of a key is not asked for
   */
  def all(loaded: String => Boolean): Seq[Row] =
    try location.store.all.toSeq.sortBy(_._1).filterNot { case (key, _) => loaded(key) }.collect {
        case (key, read) if broken(key).isDefined || !read.toOption.exists(_.purging) =>
          val failed = broken(key).filterNot(_ => hasOtherOwner)
          val error = failed.map(_.error).orElse(read.failed.toOption).orElse(nameTaken(key))
          val status =
            if (error.isDefined) QueryStatus.Failed
            else if (hasOtherOwner) QueryStatus.Standby
            else QueryStatus.Stopped
          val target = read.toOption.filter(_ => error.isEmpty).flatMap(loader.targetOf(key, _))
          QueryRows.unloaded(key, read.toOption, target, status, error)
      }
    catch {
      case RecoverableError(e) =>
        Seq(QueryRows.unloaded(location.path.toString, None, None, QueryStatus.Failed, Some(e)))
    }

  /** Why a stored query does not run here that has the name of another one, which is not stored. */
  private def nameTaken(key: String): Option[Throwable] =
    registry.find(key).filterNot(_.isPersistent || hasOtherOwner).map { query =>
      EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS",
        Map("name" -> query.name, "status" -> query.status.name))
    }
}

/**
 * A definition that cannot be loaded.
 *
 * @param stored the definition; None if it cannot be read
 */
private[streamingquery] case class BrokenDefinition(
    error: Throwable, stored: Option[StoredQuery], restarts: Backoff)

private[streamingquery] object BrokenDefinition {

  /** A file that is cut or cannot be opened gives an error without a condition. */
  def of(
      name: String,
      error: Throwable,
      stored: Option[StoredQuery],
      restarts: Backoff): BrokenDefinition = {
    val named = error match {
      case _: SparkThrowable => error
      case _ => EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.INVALID_DEFINITION",
          Map("name" -> name, "reason" -> EddylineErrors.rootMessage(error)), cause = Some(error))
    }
    BrokenDefinition(named, stored, restarts)
  }
}
