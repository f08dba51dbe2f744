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
    """One micro-batch.

    Attributes:
        batch: its number.
        input_rows: rows read.
        emitted: rows that reached the sink, or left EMIT ON CHANGE where the sink does not count;
            None if neither is known.
        dropped: idempotent updates that EMIT ON CHANGE dropped (KIP-557).
        dropped_per_second: `dropped` by the duration of the micro-batch.
        state_rows: rows in all state stores.
        state_bytes: memory that the state stores take on the executors, in bytes.
        watermark: at the start of the micro-batch, in UTC; None if there is none yet.
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
    """The micro-batches of a streaming query that Spark still remembers, oldest first.

    Args:
        query: a StreamingQuery, classic or of Spark Connect; running or ended.

    Returns:
        One record per micro-batch; Spark keeps `spark.sql.streaming.numRecentProgressUpdates`.
    """
    return [record(report) for report in query.recentProgress]


def record(report: Any) -> Progress:
    """One report of Spark (a StreamingQueryProgress, or its JSON as a dict) as a record.

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
        target: the table it writes.
        trigger: `EVERY 10000 milliseconds`, `AVAILABLE NOW`; None: as soon as it can.
        batch: number of the last micro-batch, None before the first.
        batch_ms: how long it took, in milliseconds.
        input_rows_per_second: rows that arrived.
        dropped: idempotent updates in the micro-batches that Spark remembers.
        state_rows: rows in all state stores.
        state_bytes: memory of the state stores, in bytes.
        watermark: at the start of the last micro-batch.
        started: when it was last started.
        user: who started it.
        comment: its COMMENT.
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
    """The streaming queries that START STREAMING QUERY made, in the order of their start.

    Args:
        spark: a session of the same driver or server, classic or Spark Connect. All see the same.
    """
    names = [field.name for field in fields(StreamingQueryInfo)]
    rows = spark.sql("SHOW STREAMING QUERIES").select(*names).collect()
    return [StreamingQueryInfo(**row.asDict()) for row in rows]


@dataclass(frozen=True)
class GlobalTableInfo:
    """One row of SHOW GLOBAL TABLES, in its order; None is what is not known before the first load.

    Attributes:
        namespace: its namespace, without the session catalog.
        table_name: its name.
        primary_key: its columns, separated by commas.
        source: the format, or `query`.
        version: the version that queries read now.
        rows: rows in that version.
        replicas: how many there are, one for each key it is looked up by.
        replica_bytes: memory that they take on the driver and on each executor, in bytes.
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
    """The global tables of a namespace, by name.

    Args:
        spark: a session, classic or Spark Connect.
        namespace: as in SQL; None: the current one.
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
