"""Lookups in global tables by rows and number of the tables, beside the BROADCAST hint."""

from __future__ import annotations

from functools import partial

from globaltable import new_driver, test_jar
from scaling.meter import OURS, PLANNING, RUN, Meter, Sample, meter
from scaling.points import Point, Series

SMALL = 10_000  # rows of each of many tables
FACTS = 1_000_000


def by_rows(*, toy: bool) -> list[Point]:
    """Measures lookups in larger and larger tables, and the load of their replicas."""
    lookup = Series("lookup by rows of the global table", "fact", RUN)
    load = Series("load of a replica by its rows", "row", RUN, memory_of="replica, a row")
    facts = 10_000 if toy else FACTS
    points = []
    with meter(**{"spark.driver.extraClassPath": str(test_jar())}) as of:
        for rows in (1_000, 10_000) if toy else (10_000, 100_000, 1_000_000, 10_000_000):
            create(of, 0, rows)
            found = compared(of, 1, rows, facts)
            points.append(lookup.point(rows, found, facts))
            found = of.in_turns({OURS: partial(load_replica, of, rows)})
            points.append(load.point(rows, found, rows, replica_bytes(of) / rows))
            of.spark.sql("DROP GLOBAL TABLE global_0")
            of.spark.sql("DROP TABLE dim_0")
    return points


def by_tables(*, toy: bool) -> list[Point]:
    """Measures lookups in more and more tables by one query."""
    planning = Series("lookups by global tables, planning", "query", PLANNING)
    run = Series("lookups by global tables, run", "fact", RUN)
    rows, facts = (100, 10_000) if toy else (SMALL, FACTS)
    sizes = (1, 2) if toy else (1, 5, 20)
    points = []
    with meter() as of:
        for number in range(sizes[-1]):
            create(of, number, rows)
        compared(of, 1, rows, facts)  # so that the planner is compiled
        for tables in sizes:
            found = compared(of, tables, rows, facts)
            points.append(planning.point(tables, found, 1))
            points.append(run.point(tables, found, facts))
    return points


def compared(of: Meter, tables: int, rows: int, facts: int) -> dict[str, Sample]:
    """Returns what lookups and broadcast joins take; see `query`."""
    return of.compare(query("global", tables, rows, facts), query("dim", tables, rows, facts))


def create(of: Meter, number: int, rows: int) -> None:
    """Creates a table and a global table over it, which takes new rows only by REFRESH."""
    of.spark.sql(
        f"CREATE TABLE dim_{number} USING parquet AS SELECT id AS k, concat('name-', id) AS name, "
        f"pmod(xxhash64(id, {number}), 100000) AS price FROM range(0, {rows}, 1, 2)"
    )
    of.spark.sql(
        f"CREATE GLOBAL TABLE global_{number} PRIMARY KEY (k) REFRESH MANUAL "
        f"AS SELECT * FROM dim_{number}"
    )


def query(kind: str, tables: int, rows: int, facts: int) -> str:
    """Returns a LEFT JOIN with each table, of which a fifth of the facts finds no row.

    Args:
        kind: `global` for the global tables, `dim` for Spark's broadcast joins.
        tables: how many.
        rows: rows of each table.
        facts: rows that look up.
    """
    numbers = range(tables)
    keys = ", ".join(f"pmod(xxhash64(id, {i}), {rows * 5 // 4}) AS k{i}" for i in numbers)
    columns = ", ".join(f"d{i}.name AS name{i}, d{i}.price AS price{i}" for i in numbers)
    joins = " ".join(f"LEFT JOIN {kind}_{i} AS d{i} ON f.k{i} = d{i}.k" for i in numbers)
    hint = f"/*+ BROADCAST({', '.join(f'd{i}' for i in numbers)}) */ " if kind == "dim" else ""
    return f"SELECT {hint}f.id, {columns} FROM (SELECT id, {keys} FROM range({facts})) AS f {joins}"


def load_replica(of: Meter, rows: int) -> Sample:
    """Returns what the first lookup of a driver takes, by a single fact."""
    new_driver(of.spark)
    return {RUN: of.timed(of.spark.sql(query("global", 1, rows, 1)).collect)}


def replica_bytes(of: Meter) -> int:
    """Returns the memory of the replica."""
    rows = of.spark.sql("DESCRIBE GLOBAL TABLE global_0").collect()
    return int({row[0]: row[1] for row in rows}["replica_bytes"])
