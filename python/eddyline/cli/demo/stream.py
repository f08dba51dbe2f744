"""The demo's streams: what the batch computes, while the months of 2013 arrive."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.cli.demo.arrivals import Row, run_stream
from eddyline.cli.demo.report import Part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def airports_stream(spark: SparkSession, months: Path, scratch: Path) -> Part:
    """The COGROUP of the batch, with EMIT ON UPDATE, over two streams.

    Args:
        spark: has the temporary views `flights` and `weather`.
        months: their rows, by month.
        scratch: an empty folder.
    """
    sql = _text("airports.sql")
    expected = {tuple(row) for row in spark.sql(sql).collect()}
    sql = f"{sql.rstrip()}\nEMIT ON UPDATE\n"
    reports = run_stream(spark, sql, ["flights", "weather"], months, scratch)
    last = set(reports.last(keys=2).values())
    return Part(
        "The same text as a stream: twelve months arrive as files",
        sql,
        spark.sql(sql).columns,
        [list(row) for row in sorted(last, key=str)[:5]],
        len(last),
        {
            "the last row of every key equals the batch": last == expected,
            "one row a key in the state store": reports.batches[-1].state_rows == len(last),
        },
        {
            "micro-batches": len(reports.batches),
            "rows read": sum(batch.input_rows for batch in reports.batches),
            "rows emitted": len(reports.rows),
            "rows in the state store": reports.batches[-1].state_rows,
        },
    )


def delays_stream(spark: SparkSession, months: Path, scratch: Path) -> Part:
    """The delay status of each route, reported again only when it changes (KIP-557).

    Args:
        spark: has the temporary view `flights`.
        months: its rows, by month.
        scratch: an empty folder.
    """
    sql = _text("delays.sql")
    touched = sql.replace("ON CHANGE", "ON UPDATE")
    changes = run_stream(spark, sql, ["flights"], months, scratch / "change")
    updates = run_stream(spark, touched, ["flights"], months, scratch / "update")
    dropped = sum(batch.dropped for batch in changes.batches)
    expected = {tuple(row) for row in spark.sql(sql).collect()}
    return Part(
        "The delay status of a route, reported again only when it changes",
        sql,
        spark.sql(sql).columns,
        [list(row) for row in changes.rows[-5:]],
        len(changes.rows),
        {
            "the last status of every route equals the batch": (
                set(changes.last(keys=2).values()) == expected
            ),
            "no status is reported twice in a row": not _has_repetition(changes.rows),
            "emitted and dropped are all updates": (
                len(changes.rows) + dropped == len(updates.rows)
            ),
        },
        {
            "rows emitted on update": len(updates.rows),
            "rows emitted on change": len(changes.rows),
            "idempotent updates dropped": dropped,
        },
    )


def _has_repetition(rows: list[Row]) -> bool:
    """Whether a row equals the one reported before for its route."""
    last: dict[Row, Row] = {}
    for row in rows:
        if last.get(row[:2]) == row:
            return True
        last[row[:2]] = row
    return False


def _text(name: str) -> str:
    return files("eddyline.cli.demo").joinpath(name).read_text("utf-8")
