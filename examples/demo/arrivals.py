"""The months of 2013 as files that arrive one after another, and streams over them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.microbatch import Progress, progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MONTHS = range(1, 13)
Row = tuple[Any, ...]


@dataclass
class Reports:
    """The rows and micro-batches that a streaming query reported.

    Attributes:
        rows: the emitted rows, in the order in which they came.
        batches: the micro-batches that read rows.
    """

    rows: list[Row] = field(default_factory=list)
    batches: list[Progress] = field(default_factory=list)

    def last(self, keys: int) -> dict[Row, Row]:
        """Returns the last row of every key; the first `keys` columns are the key."""
        return {row[:keys]: row for row in self.rows}


def split_by_month(spark: SparkSession, tables: Sequence[str], folder: Path) -> None:
    """Writes each table, which has a column `day`, as one file a month."""
    for table in tables:
        for month in _MONTHS:
            of_month = spark.table(table).where(f"month(day) = {month}").coalesce(1)
            of_month.write.parquet(str(folder / table / f"{month:02}"))


def open_streams(spark: SparkSession, tables: Sequence[str], scratch: Path) -> SparkSession:
    """Returns a session in which the tables are streams over folders that are still empty."""
    session = spark.newSession()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    for table in tables:
        (scratch / table).mkdir(parents=True)
        schema = spark.table(table).schema
        stream = session.readStream.schema(schema).parquet(str(scratch / table))
        stream.createOrReplaceTempView(table)
    return session


def arrive(tables: Sequence[str], months: Path, scratch: Path) -> Iterator[int]:
    """Copies one month after another to the streams, and yields its number after each."""
    for month in _MONTHS:
        for table in tables:
            _copy(months / table / f"{month:02}", scratch / table)
        yield month


def run_stream(
    spark: SparkSession, sql: str, tables: Sequence[str], months: Path, scratch: Path
) -> Reports:
    """Runs a query over streams, in a session where its tables are streams.

    Args:
        spark: a session that has the tables as temporary views.
        sql: the text of the query, with an EMIT, which sets the output mode.
        tables: names of the tables that the query reads.
        months: the folder that `split_by_month` wrote.
        scratch: an empty folder for the files that have arrived and for the checkpoint.
    """
    reports = Reports()

    def keep(batch: DataFrame, _: int) -> None:
        reports.rows += [tuple(row) for row in batch.collect()]

    query = (
        open_streams(spark, tables, scratch)
        .sql(sql)
        .writeStream.foreachBatch(keep)
        .option("checkpointLocation", str(scratch / "checkpoint"))
        .start()
    )
    try:
        for _ in arrive(tables, months, scratch):
            query.processAllAvailable()
        reports.batches = [batch for batch in progress(query) if batch.input_rows]
    finally:
        query.stop()
    return reports


def _copy(source: Path, target: Path) -> None:
    """Copies the data files of one month to the folder of the stream, under new names."""
    for file in source.glob("*.parquet"):
        part = target / f".{source.name}-{file.name}"
        shutil.copy(file, part)
        part.rename(target / part.name.removeprefix("."))
