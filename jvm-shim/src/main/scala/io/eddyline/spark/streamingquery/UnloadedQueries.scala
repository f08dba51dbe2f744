package io.eddyline.spark.streamingquery

import io.eddyline.spark.base.{EddylineErrors, RecoverableError}

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
  private lazy val isElsewhere = location.isElsewhere

  /**
   * Returns them by name. If the store cannot be read, that is said in their place.
   *
   * @param loaded whether the query of a key is not asked for
   */
  def all(loaded: String => Boolean): Seq[UnloadedQuery] =
    try stored(loaded)
    catch {
      case RecoverableError(e) =>
        Seq(UnloadedQuery(location.path.toString, None, None, QueryStatus.Failed, Some(e)))
    }

  private def stored(loaded: String => Boolean): Seq[UnloadedQuery] =
    location.store.all.toSeq.sortBy(_._1).filterNot { case (key, _) => loaded(key) }.collect {
      case (key, read) if broken(key).isDefined || !read.toOption.exists(_.purging) =>
        val failed = broken(key).filterNot(_ => isElsewhere)
        val error = failed.map(_.error).orElse(read.failed.toOption).orElse(nameTaken(key))
        val status =
          if (error.isDefined) QueryStatus.Failed
          else if (isElsewhere) QueryStatus.Elsewhere
          else QueryStatus.Stopped
        val target = read.toOption.filter(_ => error.isEmpty).flatMap(loader.targetOf(key, _))
        UnloadedQuery(key, read.toOption, target, status, error)
    }

  /** Why a stored query does not run here that has the name of another one, which is not stored. */
  private def nameTaken(key: String): Option[Throwable] =
    registry.find(key).filterNot(_.isPersistent || isElsewhere).map { query =>
      EddylineErrors.analysis("EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS",
        Map("name" -> query.name, "status" -> query.status.name))
    }
}
