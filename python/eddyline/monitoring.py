"""Streaming queries, their micro-batches and global tables, as tidy records."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NEVER = "1970-01-01"


@dataclass(frozen=True)
class Progress:
    """The progress of one micro-batch.

    Attributes:
        batch: number of the micro-batch.
        input_rows: rows read.
        emitted: rows that reached the sink; where the sink does not count them, rows that EMIT ON
            CHANGE emitted; None if neither is known.
        dropped: idempotent updates that EMIT ON CHANGE dropped (KIP-557).
        dropped_per_second: `dropped` divided by the duration of the micro-batch.
        state_rows: rows in all state stores.
        state_bytes: memory that the state stores use on the executors, in bytes.
        watermark: watermark at the start of the micro-batch, in UTC; None before the first.
    """

    batch: int
    input_rows: int
    emitted: int | None
    dropped: int
    dropped_per_second: float
    state_rows: int
    state_bytes: int
    watermark: datetime | None


def progress(query: Any) -> list[Progress]:
    """Returns the micro-batches of a streaming query that Spark still remembers, oldest first.

    Args:
        query: a StreamingQuery, classic or of Spark Connect; running or ended.

    Returns:
        One record per micro-batch, at most `spark.sql.streaming.numRecentProgressUpdates`.
    """
    return [record(report) for report in query.recentProgress]


def record(report: Any) -> Progress:
    """Turns a report of Spark (a StreamingQueryProgress, or its JSON as a dict) into a record.

    >>> record({"batchId": 3, "numInputRows": 5, "durationMs": {"triggerExecution": 500},
    ...     "sink": {"numOutputRows": -1}, "eventTime": {"watermark": "2026-01-01T00:00:05.000Z"},
    ...     "stateOperators": [{"numRowsTotal": 2, "memoryUsedBytes": 10, "customMetrics":
    ...     {"numIdempotentUpdatesDropped": 4, "numRowsEmitted": 1}}]})
    ... # doctest: +NORMALIZE_WHITESPACE
    Progress(batch=3, input_rows=5, emitted=1, dropped=4, dropped_per_second=8.0, state_rows=2,
        state_bytes=10,
        watermark=datetime.datetime(2026, 1, 1, 0, 0, 5, tzinfo=datetime.timezone.utc))
    """
    operators = report["stateOperators"]
    dropped = sum(_metric(operator, "numIdempotentUpdatesDropped") or 0 for operator in operators)
    seconds = report["durationMs"].get("triggerExecution", 0) / 1000
    return Progress(
        batch=report["batchId"],
        input_rows=report["numInputRows"],
        emitted=_emitted(report),
        dropped=dropped,
        dropped_per_second=round(dropped / seconds, 1) if seconds else 0.0,
        state_rows=sum(operator["numRowsTotal"] for operator in operators),
        state_bytes=sum(operator["memoryUsedBytes"] for operator in operators),
        watermark=_watermark(report["eventTime"].get("watermark")),
    )


@dataclass(frozen=True)
class StreamingQueryInfo:
    """One row of SHOW STREAMING QUERIES; rates and state are those of the last micro-batch.

    Attributes:
        name: name of the query.
        status: RUNNING, STOPPED, FAILED or FINISHED.
        target: the table that the query writes to.
        trigger: `EVERY 10000 milliseconds` or `AVAILABLE NOW`; None if each micro-batch starts as
            soon as it can.
        batch: number of the last micro-batch, None before the first.
        batch_ms: duration of the last micro-batch, in milliseconds.
        input_rows_per_second: rows that arrived per second.
        dropped: idempotent updates that EMIT ON CHANGE dropped, in all micro-batches that Spark
            remembers.
        state_rows: rows in all state stores.
        state_bytes: memory that the state stores use, in bytes.
        watermark: watermark at the start of the last micro-batch.
        started: when the query was last started.
        user: the user who started it.
        comment: text of its COMMENT.
        last_error: error of this run, or of the last run that failed.
    """

    name: str
    status: str
    target: str
    trigger: str | None
    batch: int | None
    batch_ms: int | None
    input_rows_per_second: float | None
    dropped: int
    state_rows: int | None
    state_bytes: int | None
    watermark: datetime | None
    started: datetime | None
    user: str
    comment: str | None
    last_error: str | None


def streaming_queries(spark: SparkSession) -> list[StreamingQueryInfo]:
    """Returns the queries of START STREAMING QUERY, in the order of their start.

    Args:
        spark: a classic session or one of Spark Connect; all sessions of a driver or server see
            the same queries.
    """
    names = [field.name for field in fields(StreamingQueryInfo)]
    rows = spark.sql("SHOW STREAMING QUERIES").select(*names).collect()
    return [StreamingQueryInfo(**row.asDict()) for row in rows]


@dataclass(frozen=True)
class GlobalTableInfo:
    """One row of SHOW GLOBAL TABLES, in its order; None: not known before the first load.

    Attributes:
        namespace: namespace of the table, without the session catalog.
        table_name: name of the table.
        primary_key: columns of the primary key, separated by commas.
        source: format of the source, or `query`.
        version: the version that queries read now.
        rows: rows in that version.
        replicas: number of replicas, one for each key that the table is looked up by.
        replica_bytes: memory that the replicas use on the driver and on each executor, in bytes.
        last_refresh: when the version was published.
        age_ms: milliseconds since the start of the last probe that found the source at this
            version.
        status: LOADING, OK, STALE, FAILING or SUSPENDED.
        last_error: error of the last refresh, if it failed.
    """

    namespace: str
    table_name: str
    primary_key: str | None
    source: str
    version: str | None
    rows: int | None
    replicas: int | None
    replica_bytes: int | None
    last_refresh: datetime | None
    age_ms: int | None
    status: str | None
    last_error: str | None


def global_tables(spark: SparkSession, namespace: str | None = None) -> list[GlobalTableInfo]:
    """Returns the global tables of a namespace, in the order of their names.

    Args:
        spark: a classic session or one of Spark Connect.
        namespace: name of the namespace as in SQL; None for the current one.
    """
    of = f" IN {namespace}" if namespace else ""
    rows = spark.sql(f"SHOW GLOBAL TABLES{of}").collect()
    return [GlobalTableInfo(**row.asDict()) for row in rows]


def _emitted(report: Any) -> int | None:
    counted = report["sink"]["numOutputRows"]
    if counted is not None and counted >= 0:
        return int(counted)
    of_operators = (_metric(operator, "numRowsEmitted") for operator in report["stateOperators"])
    return next((rows for rows in of_operators if rows is not None), None)


def _metric(operator: Any, name: str) -> int | None:
    value = operator["customMetrics"].get(name)
    return None if value is None else int(value)


def _watermark(text: str | None) -> datetime | None:
    if text is None or text.startswith(_NEVER):
        return None
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
