package io.eddyline.spark.ui

import java.lang.{Long => JLong}

import com.fasterxml.jackson.databind.annotation.JsonDeserialize

/**
 * The state of a global table after its last refresh, as the tab shows it.
 *
 * @param refreshed when it got its version, in ms since the epoch
 * @param error why the last refresh failed; None if it did not
 */
class GlobalTableEntity(
    @KVIndexParam val table: String,
    val version: Option[String],
    @JsonDeserialize(contentAs = classOf[JLong]) val rows: Option[Long],
    @JsonDeserialize(contentAs = classOf[JLong]) val bytes: Option[Long],
    val refreshes: Long,
    val failures: Long,
    val refreshed: Long,
    val error: Option[String])

/** One refresh of a global table. */
class RefreshEntity(@KVIndexParam val id: Long, val event: GlobalTableRefreshed)

/** What became of the clauses of one query. */
class ClausesEntity(
    @KVIndexParam val executionId: Long,
    val time: Long,
    val clauses: Seq[ReportedClause])

/**
 * A streaming query after its last micro-batch.
 *
 * @param name its name; None if it has none
 * @param inputRows rows read by all micro-batches
 * @param emitted rows that EMIT ON CHANGE has emitted
 * @param dropped idempotent updates that it has dropped
 * @param stateRows rows in the state stores
 * @param stateBytes memory of the state stores on the executors
 * @param behind records by which its topics were ahead after the last micro-batch; None if it reads
 *               none
 * @param duration how long the last micro-batch took, in ms
 * @param time when the last micro-batch began, as Spark writes it
 */
class StreamEntity(
    @KVIndexParam val runId: String,
    val name: Option[String],
    val batches: Long,
    val inputRows: Long,
    val emitted: Long,
    val dropped: Long,
    val stateRows: Long,
    val stateBytes: Long,
    @JsonDeserialize(contentAs = classOf[JLong]) val behind: Option[Long],
    val duration: Long,
    val time: String)
