"""The streaming queries that SQL started, as Python objects."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class StreamingQueryInfo:
    """One row of SHOW STREAMING QUERIES; rates and state are those of the last micro-batch.

    Attributes:
        name: of the query.
        status: RUNNING, STOPPED, FAILED or FINISHED.
        target: the table it writes.
        trigger: `EVERY 10000 milliseconds`, `AVAILABLE NOW`; None: as soon as it can.
        batch: number of the last micro-batch, None before the first.
        batch_ms: how long it took, in milliseconds.
        input_rows_per_second: as they arrived.
        dropped: idempotent updates in the micro-batches that Spark remembers.
        state_rows: rows in all state stores.
        state_bytes: memory of the state stores, in bytes.
        watermark: at the start of the last micro-batch.
        started: when it was started last.
        user: who started it.
        comment: what was said of it.
        last_error: of this run, or of the last that failed.
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
