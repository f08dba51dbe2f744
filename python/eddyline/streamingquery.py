"""The streaming queries that were started by SQL, as tidy records."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class StreamingQueryInfo:
    """One row of SHOW STREAMING QUERIES; rates and state are those of the last micro-batch.

    Attributes:
        name: name of the query; the folder of the definitions, if that cannot be read.
        status: RUNNING, STOPPED, FAILED, FINISHED, or STANDBY if another server runs it.
        target: the table that the query writes to.
        trigger: `EVERY 10000 milliseconds`, `AVAILABLE NOW` or `REAL TIME`; None if no TRIGGER is
            written.
        batch: number of the last micro-batch, None before the first.
        batch_ms: duration of the last micro-batch, in milliseconds.
        input_rows_per_second: rows that arrived per second.
        dropped: idempotent updates that EMIT ON CHANGE dropped, in all micro-batches that Spark
            remembers.
        state_rows: rows in all state stores.
        state_bytes: memory that the state stores use, in bytes.
        watermark: watermark at the start of the last micro-batch.
        started: when the query was last started.
        user: the user who defined it.
        comment: text of its COMMENT.
        last_error: error of this run, or of the last run that failed.
        persistent: whether it is stored, so that it continues after its server has ended.
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
    persistent: bool


def streaming_queries(spark: SparkSession) -> list[StreamingQueryInfo]:
    """Returns the streaming queries of SQL.

    Those of this application are in the order in which they were defined; then come the other
    stored ones by name.

    Args:
        spark: a classic session or one of Spark Connect; all sessions of a driver or server see
            the same queries.
    """
    names = [field.name for field in fields(StreamingQueryInfo)]
    rows = spark.sql("SHOW STREAMING QUERIES").select(*names).collect()
    return [StreamingQueryInfo(**row.asDict()) for row in rows]


def shown_progress(spark: SparkSession, name: str) -> DataFrame:
    """Returns the rows of SHOW STREAMING QUERY PROGRESS for a query of any name.

    Raises:
        AnalysisException: EDDYLINE_STREAMING_QUERY.NOT_FOUND if no query has the name.
    """
    quoted = name.replace("`", "``")
    return spark.sql(f"SHOW STREAMING QUERY PROGRESS `{quoted}`")
