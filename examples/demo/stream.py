"""The demo's streams: what the batch computes, while the months of 2013 arrive."""

from __future__ import annotations

import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from .arrivals import Row, arrive, open_streams, run_stream
from .report import Part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def airports_stream(spark: SparkSession, months: Path, scratch: Path) -> Part:
    """Runs the COGROUP of the batch, with EMIT ON UPDATE, over two streams.

    Args:
        spark: a session that has the temporary views `flights` and `weather`.
        months: folder with their rows, by month.
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
            "one row per key in the state store": reports.batches[-1].state_rows == len(last),
        },
        {
            "micro-batches": len(reports.batches),
            "rows read": sum(batch.input_rows for batch in reports.batches),
            "rows emitted": len(reports.rows),
            "rows in the state store": reports.batches[-1].state_rows,
        },
    )


def delays_stream(spark: SparkSession, months: Path, scratch: Path) -> Part:
    """Reports the delay status of each route again only when it changes (KIP-557).

    Args:
        spark: a session that has the temporary view `flights`.
        months: folder with its rows, by month.
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


def averages_stream(spark: SparkSession, months: Path, scratch: Path) -> Part:
    """Reports the average delay of each route again only when it has changed by two minutes.

    Args:
        spark: a session that has the temporary view `flights`.
        months: folder with its rows, by month.
        scratch: an empty folder.
    """
    sql = _text("averages.sql")
    exact = sql.replace(" TOLERANCE 2", "")
    tolerant = run_stream(spark, sql, ["flights"], months, scratch / "tolerant")
    changes = run_stream(spark, exact, ["flights"], months, scratch / "exact")
    reported = {key: row[2] for key, row in tolerant.last(keys=2).items()}
    averages = {tuple(row[:2]): row[2] for row in spark.sql(exact).collect()}
    return Part(
        "The average delay of a route, reported again when it is two minutes off",
        sql,
        spark.sql(sql).columns,
        [list(row) for row in tolerant.rows[-5:]],
        len(tolerant.rows),
        {
            "no route is further than two minutes from what was reported": (
                reported.keys() == averages.keys()
                and all(abs(reported[key] - averages[key]) < 2 for key in averages)
            ),
            "a change that was reported is one of two minutes": _all_changes(tolerant.rows, 2),
        },
        {
            "rows emitted on change": len(changes.rows),
            "rows emitted with the tolerance": len(tolerant.rows),
            "rows saved": len(changes.rows) - len(tolerant.rows),
        },
    )


def delays_by_sql(spark: SparkSession, months: Path, scratch: Path) -> Part:
    """Reports the delay status again: started, watched and stopped by SQL alone.

    Args:
        spark: a session that has the temporary view `flights`.
        months: folder with its rows, by month.
        scratch: an empty folder.
    """
    query = _text("delays.sql")
    start = _text("start_delays.sql").replace("<checkpoint>", str(scratch / "checkpoint")) + query
    expected, count = spark.sql(query).collect(), spark.table("flights").count()
    session = open_streams(spark, ["flights"], scratch)
    session.sql(
        "CREATE TABLE delays (origin STRING, dest STRING, status STRING, batch BIGINT) "
        f"USING parquet LOCATION '{scratch / 'delays'}'"
    )
    session.sql(start)
    seen = "SHOW STREAMING QUERY PROGRESS delays"
    for _ in arrive(["flights"], months, scratch):
        pass
    while sum(batch.input_rows for batch in session.sql(seen).collect()) < count:
        time.sleep(0.2)
        session.sql("AWAIT STREAMING QUERY delays TIMEOUT 1 MILLISECOND")  # raises its error
    session.sql("STOP STREAMING QUERY delays")
    batches = [batch for batch in session.sql(seen).collect() if batch.input_rows]
    session.sql("DROP STREAMING QUERY delays")
    last = session.sql(
        "SELECT origin, dest, max_by(status, batch) AS status FROM delays GROUP BY origin, dest"
    )
    rows = sorted(map(tuple, last.collect()))
    written = session.table("delays").count()
    session.sql("DROP TABLE delays")
    return Part(
        "The same, started, watched and stopped by SQL alone",
        start.replace(str(scratch), "…"),
        last.columns,
        [list(row) for row in rows[:5]],
        len(rows),
        {
            "the last status of every route equals the batch": (
                rows == sorted(map(tuple, expected))
            ),
            "every emitted row was inserted once": (
                written == sum(batch.emitted for batch in batches)
            ),
        },
        {
            "micro-batches": len(batches),
            "rows inserted": written,
            "idempotent updates dropped": sum(batch.dropped for batch in batches),
        },
    )


def _has_repetition(rows: list[Row]) -> bool:
    """Returns whether some row equals the previous one of its route."""
    last: dict[Row, Row] = {}
    for row in rows:
        if last.get(row[:2]) == row:
            return True
        last[row[:2]] = row
    return False


def _all_changes(rows: list[Row], least: float) -> bool:
    """Returns whether each row differs by so much from the previous one of its route."""
    last: dict[Row, float] = {}
    for *key, value in rows:
        route = tuple(key)
        if route in last and abs(last[route] - value) < least:
            return False
        last[route] = value
    return True


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
