"""The timeline in docs/sql/emit.md shows what streams report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .harness import Stream, arrive, first_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = (Path(__file__).parents[2] / "docs/sql/emit.md").read_text()
LINES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d", line)
]
SQL = (
    "SELECT window, k, max(v) AS top FROM STREAM readings "
    "WATERMARK ts DELAY OF INTERVAL 0 SECONDS GROUP BY window(ts, '10 seconds'), k EMIT "
)


@pytest.fixture(autouse=True)
def readings(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE readings (k STRING, v INT, ts TIMESTAMP) USING parquet")


def arrivals(cell: str) -> list[str]:
    """Returns the rows of a cell such as `a=5 @1, b=2 @3`."""
    return [
        f"('{key}', {value}, TIMESTAMP'2026-01-01 00:00:00' + INTERVAL {second} SECONDS)"
        for key, value, second in re.findall(r"(\w)=(\d+) @(\d+)", cell)
    ]


def reports(cell: str) -> list[tuple[str, int]]:
    """Returns the results of a cell such as `a=5, b=2`."""
    return sorted((key, int(value)) for key, value in re.findall(r"(\w)=(\d+)", cell))


def test_the_table_is_whole() -> None:
    assert [line[0] for line in LINES] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("column", "strategy"), [(2, "ON UPDATE"), (3, "ON CHANGE"), (4, "ON WINDOW CLOSE")]
)
def test_strategy(spark: SparkSession, tmp_path: Path, column: int, strategy: str) -> None:
    stream = Stream(lambda: spark.sql(SQL + strategy), tmp_path)
    for line in LINES:
        arrive(spark, "readings", arrivals(line[1]))
        reported = sorted(row[1:] for rows in stream.run() for row in rows)
        assert reported == reports(line[column]), line


def test_every(spark: SparkSession, tmp_path: Path) -> None:
    for line in LINES:
        arrive(spark, "readings", arrivals(line[1]))
    query = (
        spark.sql(SQL + "EVERY 1 HOUR")
        .writeStream.format("memory")
        .queryName("sunk")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(processingTime="1 hour")
        .start()
    )
    first_batch(query)
    reported = sorted((row.k, row.top) for row in spark.table("sunk").collect())
    assert reported == reports(LINES[-1][5])
