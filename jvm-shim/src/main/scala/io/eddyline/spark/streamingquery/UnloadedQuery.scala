package io.eddyline.spark.streamingquery

import io.eddyline.spark.streamingquery.store.StoredQuery

/**
 * A stored query that this application does not have.
 *
 * @param name its name, in lower case; the folder of the definitions if that cannot be read
 * @param stored its definition; None if it cannot be read
 * @param target the table into which it writes; None if its definition cannot be loaded
 * @param error why it could not be loaded or does not run any more; None: neither was tried
 */
private[streamingquery] case class UnloadedQuery(
    name: String,
    stored: Option[StoredQuery],
    target: Option[String],
    status: QueryStatus,
    error: Option[Throwable])

/**
 * A query that DROP has removed.
 *
 * @param id the id of the query, if it ran in this application
 * @param runId the id of its last run
 * @param checkpoint its checkpoint without secrets; None if its definition could not be read
 */
private[streamingquery] case class DroppedQuery(
    name: String, id: Option[String], runId: Option[String], checkpoint: Option[String])
