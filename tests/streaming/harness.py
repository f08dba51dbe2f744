"""Streams over files that arrive one after another, with a checkpoint that restarts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

Row = tuple[Any, ...]


@dataclass
class Stream:
    """A stream; each `run` starts a new query on the same checkpoint.

    Attributes:
        frame: function that makes the streaming frame again, as a restarted program would.
        folder: folder for the checkpoint.
        mode: the output mode; None leaves it to the query.
        batches: the rows of every micro-batch so far, sorted.
        progress: Spark's report of the last micro-batch.
        dropped: idempotent updates in all micro-batches so far.
        plan: physical plan of the last micro-batch.
    """

    frame: Callable[[], DataFrame]
    folder: Path
    mode: str | None = None
    batches: list[list[Row]] = field(default_factory=list)
    progress: dict[str, Any] = field(default_factory=dict)
    dropped: int = 0
    plan: str = ""

    def run(self) -> list[list[Row]]:
        """Processes all input and stops; returns the batches of this run."""
        before = len(self.batches)

        def collect(batch: DataFrame, _: int) -> None:
            self.batches.append(sorted(map(tuple, batch.collect()), key=str))

        writer = (
            self.frame()
            .writeStream.foreachBatch(collect)
            .option("checkpointLocation", str(self.folder / "checkpoint"))
            .trigger(availableNow=True)
        )
        query: StreamingQuery = (writer.outputMode(self.mode) if self.mode else writer).start()
        query.awaitTermination()
        self.progress = dict(query.lastProgress or self.progress)
        self.dropped += sum(map(dropped, query.recentProgress))
        self.plan = str(query._jsq.explainInternal(False))
        return [rows for rows in self.batches[before:] if rows]

    def final(self, keys: int = 1) -> list[Row]:
        """Returns the last row of every key, over all batches."""
        last = {row[:keys]: row for rows in self.batches for row in rows}
        return sorted(last.values(), key=str)


def dropped(progress: Any) -> int:
    """Returns the number of idempotent updates that a micro-batch dropped."""
    return sum(
        operator["customMetrics"].get("numIdempotentUpdatesDropped", 0)
        for operator in progress["stateOperators"]
    )


def no_task_runs(spark: SparkSession) -> None:
    """Waits until no task runs, also of jobs that have failed or were cancelled."""
    assert spark._jvm is not None
    tasks = spark._jvm.org.apache.spark.eddyline.RunningTasks
    eventually(lambda: tasks.count(spark._jsparkSession) == 0)


def death(query: StreamingQuery) -> str | None:
    """Waits for the end of a query; returns what it died of, or None."""
    from pyspark.errors import StreamingQueryException

    try:
        query.awaitTermination()
    except StreamingQueryException as error:
        return str(error)
    return None


def first_batch(query: StreamingQuery) -> None:
    """Waits for one micro-batch of a slow trigger, and stops the query."""
    eventually(lambda: query.recentProgress)
    query.stop()


def at(key: int, value: int, second: int = 0) -> str:
    """Returns a row (k, v, ts) as an SQL tuple; its time is `second` seconds into 2026."""
    return f"({key}L, {value}L, TIMESTAMP'2026-01-01 00:00:00' + INTERVAL {second} SECONDS)"


def arrive(spark: SparkSession, table: str, rows: Sequence[str]) -> None:
    """Appends one file with the rows, each an SQL tuple, to the table."""
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES {', '.join(rows)}")
