"""Streams over files that arrive one after another, with a checkpoint that restarts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

Row = tuple[Any, ...]


@dataclass
class Stream:
    """One streaming query; each `run` is a new query on the same checkpoint.

    Attributes:
        frame: makes the streaming frame anew, as a restarted program would.
        folder: for the checkpoint.
        mode: the output mode.
        batches: the rows of every micro-batch so far, sorted.
        progress: of the last micro-batch.
    """

    frame: Callable[[], DataFrame]
    folder: Path
    mode: str
    batches: list[list[Row]] = field(default_factory=list)
    progress: dict[str, Any] = field(default_factory=dict)

    def run(self) -> list[list[Row]]:
        """Process what is there and stop; returns the batches of this run."""
        before = len(self.batches)

        def collect(batch: DataFrame, _: int) -> None:
            self.batches.append(sorted(map(tuple, batch.collect()), key=str))

        query: StreamingQuery = (
            self.frame()
            .writeStream.foreachBatch(collect)
            .outputMode(self.mode)
            .option("checkpointLocation", str(self.folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        self.progress = dict(query.lastProgress or self.progress)
        return [rows for rows in self.batches[before:] if rows]

    def final(self, keys: int = 1) -> list[Row]:
        """The last row of every key, over all batches."""
        last = {row[:keys]: row for rows in self.batches for row in rows}
        return sorted(last.values(), key=str)


def arrive(spark: SparkSession, table: str, rows: Sequence[str]) -> None:
    """Append one file with the rows, each an SQL tuple, to the table."""
    spark.sql(f"INSERT INTO {table} SELECT /*+ COALESCE(1) */ * FROM VALUES {', '.join(rows)}")
