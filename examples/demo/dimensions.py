"""The demo's global tables: a stream of flights joined with tables that change meanwhile."""

from __future__ import annotations

import csv
import re
import shutil
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.globaltable import global_tables
from eddyline.jvm import explained
from eddyline.lowering.statements import statements_of

from .arrivals import arrive, open_streams
from .report import Part

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TABLES = ("airlines", "planes", "airports")
_RENAMED_BEFORE = 7
# The columns are airline, month, flights, flights of a known plane and to a known airport.
_PLAIN = """
    SELECT a.name AS airline, month(f.day) AS month, count(*), count(p.manufacturer), count(d.name)
    FROM flights AS f
    JOIN plain_airlines AS a ON a.carrier = f.carrier
    LEFT JOIN plain_planes AS p ON p.tailnum = f.tailnum
    LEFT JOIN plain_airports AS d ON d.faa = f.dest
    GROUP BY ALL"""
_COUNT = """
    SELECT airline, month(day), count(*), count(manufacturer), count(destination)
    FROM joined GROUP BY ALL"""


def dimensions_stream(spark: SparkSession, data: Path, months: Path, scratch: Path) -> Part:
    """Joins flights with airlines, planes and airports, while all airlines are renamed.

    Args:
        spark: a session that has the temporary view `flights`.
        data: folder with the airlines, planes and airports as CSV.
        months: folder with the flights, by month.
        scratch: an empty folder.
    """
    for table in _TABLES:
        (scratch / table).mkdir(parents=True)
        shutil.copy(data / f"{table}.csv", scratch / table)
        frame = spark.read.csv(str(data / f"{table}.csv"), header=True, nullValue="NA")
        frame.createOrReplaceTempView(f"plain_{table}")
    text = files(__package__).joinpath("dimensions.sql").read_text("utf-8")
    session = open_streams(spark, ["flights"], scratch)
    *creates, join = statements_of(text.replace("<folder>", str(scratch)))
    for create in creates:
        session.sql(create.text)
    flights: Counter[tuple[str, int]] = Counter()
    known: Counter[tuple[str, int]] = Counter()

    def count(batch: DataFrame, _: int) -> None:
        batch.createOrReplaceTempView("joined")
        for airline, month, rows, planes, airports in batch.sparkSession.sql(_COUNT).collect():
            flights[airline, month] += rows
            known[airline, month] += planes + airports

    query = (
        session.sql(join.text)
        .writeStream.foreachBatch(count)
        .option("checkpointLocation", str(scratch / "checkpoint"))
        .start()
    )
    try:
        for month in arrive(["flights"], months, scratch):
            query.processAllAvailable()
            if month + 1 == _RENAMED_BEFORE:
                _rename(scratch / "airlines" / "airlines.csv")
                session.sql("REFRESH GLOBAL TABLE airlines")
        plan = explained(query)
    finally:
        query.stop()
    expected, expected_known = {}, {}
    for airline, month, rows, planes, airports in spark.sql(_PLAIN).collect():
        name = airline.upper() if month >= _RENAMED_BEFORE else airline
        expected[name, month] = rows
        expected_known[name, month] = planes + airports
    replicas = {table.table_name: table for table in global_tables(session)}
    for table in _TABLES:
        session.sql(f"DROP GLOBAL TABLE {table}")
    rows = [[*key, flights[key]] for key in sorted(flights)]
    return Part(
        "Flights joined with three global tables; all airlines are renamed in July",
        text,
        ["airline", "month", "flights"],
        rows[:3] + rows[-3:],
        len(rows),
        {
            "the first half year has the old names, the second the new": dict(flights) == expected,
            "planes and airports are those of plain joins": dict(known) == expected_known,
            "no shuffle and no broadcast in a micro-batch": "Exchange" not in plan,
        },
        {
            "lookups in a micro-batch": len(set(re.findall(r"GlobalLookup \S+", plan))),
            "versions of airlines": str(replicas["airlines"].version).partition("-")[0],
            "bytes of all replicas": sum(info.replica_bytes or 0 for info in replicas.values()),
        },
    )


def _rename(path: Path) -> None:
    """Overwrites the airlines with their names in capitals."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *([key, name.upper()] for key, name in rows[1:])])
