"""Benchmark of small changes of a global table's source against a rebuild.

    python benchmarks/globaltable_changes.py [--quick]

A topic of a broker on this machine is read as a whole; then again and again a part of the keys
changes. A rebuild is the statement that creates the table: it reads all and sends all rows. A
refresh reads what came and sends the changes. At last a stream looks rows up while such refreshes
run. Needs the jars that `make demo-kafka` fetches.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from measure import DATA, Figure, jvm_cpu_seconds, report, session

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples/kafka"))
from broker import Broker, connector_jars, fetch_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = DATA / "globaltable_changes"
ROUNDS = 3
PARTS = (100, 1000)  # one of so many keys changes
STREAM_SECONDS = 40
REFRESHED_EACH = 2.0  # seconds
WARM_UP = 5  # micro-batches
COLUMNS = "k BIGINT, name STRING, price INT"
ROWS = (
    "SELECT id AS k, concat('name-', hex(xxhash64(id))) AS name, "
    "int(pmod(xxhash64(id, {change}), 100000)) AS price "
    "FROM range(0, {keys}, {part}, 2)"
)
LOOKUP = """
SELECT value, price FROM STREAM ticks JOIN {table} ON value % {keys} = k"""


class Prices:
    """A topic of prices, and global tables over it."""

    def __init__(self, spark: SparkSession, keys: int, broker: Broker) -> None:
        self.spark = spark
        self.keys = keys
        self._servers = broker.address
        self._form = (
            f"({COLUMNS}, PRIMARY KEY (k)) USING kafka "
            f"OPTIONS ('kafka.bootstrap.servers' '{broker.address}', subscribe 'prices')"
        )
        self._tables = 0
        self._changes = 0

    def write(self, one_of: int = 1) -> None:
        """Writes a record with a new row for every so many keys."""
        self._changes += 1
        rows = self.spark.sql(ROWS.format(change=self._changes, keys=self.keys, part=one_of))
        records = rows.selectExpr(
            "string(k) AS key", "to_json(struct(name, price)) AS value"
        ).write.format("kafka")
        records.option("kafka.bootstrap.servers", self._servers).option("topic", "prices").save()

    @property
    def table(self) -> str:
        """The table of the last `create`."""
        return f"prices_{self._tables}"

    def create(self) -> None:
        """Creates a table, and drops the one before."""
        if self._tables:
            self.spark.sql(f"DROP GLOBAL TABLE {self.table}")
        self._tables += 1
        self.spark.sql(f"CREATE GLOBAL TABLE {self.table} {self._form} REFRESH MANUAL")

    def refresh(self) -> None:
        """Refreshes the table of the last `create`."""
        self.spark.sql(f"REFRESH GLOBAL TABLE {self.table}")

    def sent(self) -> tuple[int, int]:
        """Returns the bytes of the replica in memory, and those that were sent for changes."""
        rows = self.spark.sql(f"DESCRIBE GLOBAL TABLE {self.table}").collect()
        facts = {row[0]: row[1] for row in rows}
        return int(facts["replica_bytes"]), int(facts.get("changed_bytes", 0))


def measured(spark: SparkSession, body: Callable[[], object]) -> Figure:
    """Runs something once and returns its seconds."""
    cpu, start = jvm_cpu_seconds(spark), time.perf_counter()
    body()
    wall = time.perf_counter() - start
    return Figure(round(jvm_cpu_seconds(spark) - cpu, 2), round(wall, 2))


def rounds(prices: Prices) -> list[dict[str, object]]:
    """Returns a row of the table for each kind of refresh: its run with the least CPU."""
    figures: dict[str, list[Figure]] = {}
    sent: dict[str, int] = {}
    prices.write()
    for turn in range(ROUNDS + 1):
        figures.setdefault("rebuild", []).append(measured(prices.spark, prices.create))
        for part in PARTS:
            prices.write(part)
            name = f"refresh, 1 of {part} rows"
            figures.setdefault(name, []).append(measured(prices.spark, prices.refresh))
            sent[name] = prices.sent()[1]
        sent["rebuild"] = prices.sent()[0]
        if turn == 0:
            figures.clear()  # it warmed up
    best = {name: min(runs, key=lambda run: run.cpu) for name, runs in figures.items()}
    return [
        {
            "what": what,
            "CPU s": figure.cpu,
            "wall s": figure.wall,
            "% of a rebuild": round(100 * figure.cpu / best["rebuild"].cpu, 1),
            "bytes": sent[what],
        }
        for what, figure in best.items()
    ]


def batches(prices: Prices, *, changes: bool) -> dict[str, object]:
    """Returns how long the micro-batches of a stream take that looks rows up, in ms."""
    spark = prices.spark
    spark.readStream.format("rate").option("rowsPerSecond", 1000).load().createOrReplaceTempView(
        "ticks"
    )
    stream = spark.sql(LOOKUP.format(table=prices.table, keys=prices.keys))
    query = stream.writeStream.format("noop").start()
    end = time.monotonic() + STREAM_SECONDS
    while time.monotonic() < end:
        if changes:
            prices.write(PARTS[0])
            prices.refresh()
        time.sleep(REFRESHED_EACH)
    query.stop()
    took = sorted(
        progress["durationMs"]["triggerExecution"]
        for progress in query.recentProgress
        if progress["numInputRows"] and progress["batchId"] > WARM_UP
    )
    median, tail = (took[int(part * (len(took) - 1))] for part in (0.5, 0.99))
    return {
        "refreshes": f"1 of {PARTS[0]} rows, every {REFRESHED_EACH:.0f} s" if changes else "none",
        "micro-batches": len(took),
        "median ms": median,
        "p99 ms": tail,
        "p99 / median": round(tail / median, 1),
    }


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rows")
    quick = parser.parse_args().quick
    keys = 20_000 if quick else 1_000_000
    if reason := fetch_jars():
        raise SystemExit(f"No benchmark runs: {reason}")
    jars = os.pathsep.join(map(str, connector_jars()))
    shutil.rmtree(FOLDER, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        try:
            broker.start()
            spark = session(
                **{
                    "spark.log.level": "OFF",
                    "spark.sql.streaming.numRecentProgressUpdates": "100000",
                    "spark.sql.warehouse.dir": str(FOLDER / "warehouse"),
                    "spark.driver.extraClassPath": jars,
                }
            )
            prices = Prices(spark, keys, broker)
            refreshes = rounds(prices)
            streams = [batches(prices, changes=changes) for changes in (False, True)]
            spark.stop()
        finally:
            broker.kill()
    report(
        "globaltable_changes",
        f"A global table of {keys:,} rows",
        refreshes,
        [
            "rebuild: reads the source, writes all rows and sends them; bytes are those in memory",
            "refresh: reads what came, writes and sends all changes since the rebuild",
        ],
        keep=not quick,
    )
    report(
        "globaltable_changes_stream",
        "Micro-batches that look rows up in it",
        streams,
        ["the refreshes, and the writer of the changes, have the same cores as the stream"],
        keep=False,
    )
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
