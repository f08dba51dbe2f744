"""Benchmark of a global table over a topic: small changes against a rebuild.

    python benchmarks/globaltable_topic.py [--quick]

A topic of a broker on this machine is read as a whole, and then again and again a part of its keys
changes. A rebuild is the statement that creates the table: it reads the topic and sends all rows. A
refresh reads what came and sends the changes. Needs the jars that `make demo-kafka` fetches.
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

FOLDER = DATA / "globaltable_topic"
ROUNDS = 3
PARTS = (100, 1000)  # one of so many keys changes
TABLE = """
CREATE GLOBAL TABLE {name} (k BIGINT, name STRING, price INT, PRIMARY KEY (k)) USING kafka
OPTIONS ('kafka.bootstrap.servers' '{broker}', subscribe 'prices') REFRESH MANUAL"""


class Prices:
    """The topic, and global tables over it."""

    def __init__(self, spark: SparkSession, broker: Broker, keys: int) -> None:
        self._spark = spark
        self._broker = broker
        self._keys = keys
        self._tables = 0
        self._changes = 0

    def write(self, one_of: int = 1) -> None:
        """Writes a new record for every so many keys."""
        self._changes += 1
        self._spark.sql(
            "SELECT string(id) AS key, to_json(struct(concat('name-', hex(xxhash64(id))) AS name,"
            f" int(pmod(xxhash64(id, {self._changes}), 100000)) AS price)) AS value"
            f" FROM range(0, {self._keys}, {one_of}, 2)"
        ).write.format("kafka").option("kafka.bootstrap.servers", self._broker.address).option(
            "topic", "prices"
        ).save()

    def create(self) -> None:
        """Creates a table, and drops the one before."""
        if self._tables:
            self._spark.sql(f"DROP GLOBAL TABLE prices_{self._tables}")
        self._tables += 1
        name = f"prices_{self._tables}"
        self._spark.sql(TABLE.format(name=name, broker=self._broker.address))

    def refresh(self) -> None:
        """Refreshes the table of the last `create`."""
        self._spark.sql(f"REFRESH GLOBAL TABLE prices_{self._tables}")

    def sent(self) -> tuple[int, int]:
        """Returns the bytes of the replica in memory, and those that were sent for changes."""
        rows = self._spark.sql(f"DESCRIBE GLOBAL TABLE prices_{self._tables}").collect()
        facts = {row[0]: row[1] for row in rows}
        return int(facts["replica_bytes"]), int(facts.get("changed_bytes", 0))


def measured(spark: SparkSession, body: Callable[[], object]) -> Figure:
    """Runs something once and returns its seconds."""
    cpu, start = jvm_cpu_seconds(spark), time.perf_counter()
    body()
    wall = time.perf_counter() - start
    return Figure(round(jvm_cpu_seconds(spark) - cpu, 2), round(wall, 2))


def rounds(prices: Prices, spark: SparkSession) -> tuple[dict[str, Figure], dict[str, int]]:
    """Returns the run of each kind with the least CPU, and the bytes of changes."""
    figures: dict[str, list[Figure]] = {}
    changed: dict[str, int] = {}
    prices.write()
    for turn in range(ROUNDS + 1):
        figure = measured(spark, prices.create)
        figures.setdefault("rebuild", []).append(figure)
        for part in PARTS:
            prices.write(part)
            name = f"refresh, 1 of {part} rows"
            figures.setdefault(name, []).append(measured(spark, prices.refresh))
            changed[name] = prices.sent()[1]
        changed["rebuild"] = prices.sent()[0]
        if turn == 0:
            figures.clear()  # it warmed up
    return {name: min(runs, key=lambda run: run.cpu) for name, runs in figures.items()}, changed


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
                    "spark.sql.warehouse.dir": str(FOLDER / "warehouse"),
                    "spark.driver.extraClassPath": jars,
                }
            )
            figures, changed = rounds(Prices(spark, broker, keys), spark)
            spark.stop()
        finally:
            broker.kill()
    whole = figures["rebuild"].cpu
    report(
        "globaltable_topic",
        f"A global table of {keys:,} rows over a topic",
        [
            {
                "what": what,
                "CPU s": figure.cpu,
                "wall s": figure.wall,
                "% of a rebuild": round(100 * figure.cpu / whole, 1),
                "bytes": changed[what],
            }
            for what, figure in figures.items()
        ],
        [
            "rebuild: reads the topic, writes all rows and sends them; bytes are those in memory",
            "refresh: reads what came, writes and sends all changes since the rebuild",
        ],
        keep=not quick,
    )
    shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main()
