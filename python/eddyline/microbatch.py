"""The micro-batches of a streaming query, as tidy records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from eddyline.jvm import active
from eddyline.streamingquery import shown_progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NEVER = "1970-01-01"
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


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


def progress(query: Any, spark: SparkSession | None = None) -> list[Progress]:
    """Returns the micro-batches of a streaming query that Spark still remembers, oldest first.

    Args:
        query: a StreamingQuery, classic or of Spark Connect; running or ended. Or the name of a
            query of START STREAMING QUERY.
        spark: the session that looks a name up; the active one if it is not given.

    Returns:
        One record per micro-batch, at most `spark.sql.streaming.numRecentProgressUpdates`.

    Raises:
        AnalysisException: EDDYLINE_STREAMING_QUERY.NOT_FOUND if no query has the name.
    """
    if isinstance(query, str):
        return _progress_of(query, spark)
    # a trigger that found no data is kept too, and repeats the metrics of the micro-batch before it
    return [record(report) for report in query.recentProgress if "addBatch" in report["durationMs"]]


def _progress_of(name: str, spark: SparkSession | None) -> list[Progress]:
    shown = shown_progress(active(spark), name)
    rows = shown.selectExpr("*", "unix_micros(watermark) AS watermark_micros").collect()
    return [
        Progress(
            batch=row.batch,
            input_rows=row.input_rows,
            emitted=row.emitted,
            dropped=row.dropped,
            dropped_per_second=round(row.dropped_per_second, 1),
            state_rows=row.state_rows,
            state_bytes=row.state_bytes,
            watermark=None
            if row.watermark_micros is None
            else _EPOCH + timedelta(microseconds=row.watermark_micros),
        )
        for row in rows
    ]


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
