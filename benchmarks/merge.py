"""Benchmark of a table of Delta that a stream keeps: UPSERT INTO beside foreachBatch with MERGE.

    python benchmarks/merge.py [--quick]

The table holds the largest value of each key. Every micro-batch has each key once, and a given
share of the keys keeps its maximum. Every way starts with an empty table and an empty checkpoint;
the figures are those of a whole run with the least CPU, of two warm ones that take turns. All
tables are compared with a batch query.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import DATA, ROOT, best_of, jvm_cpu_seconds, report, session_with

from eddyline.versions import table_formats

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KEYS = 500_000
BATCHES = 6
SAME = (0, 90, 99)  # percentages of the keys whose maximum stays in a micro-batch
MAXIMUM = "SELECT k, max(v) AS m FROM {} GROUP BY k"
FOLDER = DATA / "merge"
CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.sql.warehouse.dir": str(FOLDER / "tables"),
    "spark.log.level": "OFF",  # Delta warns of each checkpoint that is removed
}

Way = Callable[["SparkSession", str, Path], None]


@dataclass(frozen=True)
class Merge:
    """A foreachBatch function that merges the maxima of a micro-batch into a table.

    Attributes:
        table: its name.
        when: the condition, beside the key, under which a row is updated.
        query: what is merged, of the view `batch`.
    """

    table: str
    when: str
    query: str

    def __call__(self, batch: DataFrame, _: int) -> None:
        """Merges a micro-batch."""
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(
            f"MERGE INTO {self.table} AS t USING ({self.query}) AS s ON t.k = s.k "
            f"WHEN MATCHED {self.when} THEN UPDATE SET m = s.m WHEN NOT MATCHED THEN INSERT *"
        )


def write_events(spark: SparkSession, keys: int, same: int) -> None:
    """Writes the table `events`, in a file for each micro-batch."""
    spark.sql("DROP TABLE IF EXISTS events")
    spark.sql("CREATE TABLE events (k BIGINT, v BIGINT) USING parquet")
    for batch in range(BATCHES):
        spark.sql(
            f"INSERT INTO events SELECT id, if(pmod(xxhash64(id, {batch}), 100) < {same}, 0, "
            f"{batch + 1}) FROM range(0, {keys}, 1, 1)"
        )
        time.sleep(0.01)  # a stream takes files by their times


def run(spark: SparkSession, way: Way, table: str) -> None:
    """Runs a stream over all events into an empty table."""
    checkpoint = FOLDER / "checkpoint"
    shutil.rmtree(checkpoint, ignore_errors=True)
    spark.sql(f"CREATE OR REPLACE TABLE {table} (k BIGINT, m BIGINT) USING delta")
    way(spark, table, checkpoint)


def by_hand(query: str, when: str, merged: str = "SELECT * FROM batch") -> Way:
    """Returns a way that merges each micro-batch of a query in foreachBatch.

    Args:
        query: the query over the stream `arrived`.
        when: the condition, beside the key, under which a row is updated.
        merged: what is merged, of the view `batch`.
    """

    def way(spark: SparkSession, table: str, checkpoint: Path) -> None:
        events = spark.readStream.option("maxFilesPerTrigger", 1).table("events")
        events.createOrReplaceTempView("arrived")
        merge = Merge(table, when, merged)
        writer = spark.sql(query).writeStream.foreachBatch(merge).outputMode("update")
        writer = writer.option("checkpointLocation", str(checkpoint))
        writer.trigger(availableNow=True).start().awaitTermination()

    return way


def upsert(emit: str) -> Way:
    """Returns a way by UPSERT INTO."""

    def way(spark: SparkSession, table: str, checkpoint: Path) -> None:
        query = MAXIMUM.format("STREAM events WITH (maxFilesPerTrigger = 1)")
        spark.sql(
            f"START STREAMING QUERY kept TRIGGER AVAILABLE NOW CHECKPOINT '{checkpoint}' "
            f"AS UPSERT INTO {table} KEY (k) {query} {emit}"
        )
        spark.sql("AWAIT STREAMING QUERY kept")
        spark.sql("DROP STREAMING QUERY kept")

    return way


UPDATES = MAXIMUM.format("arrived")
WAYS: dict[str, Way] = {
    "MERGE of all updates": by_hand(UPDATES, ""),
    "MERGE of what differs": by_hand(UPDATES, "AND t.m <> s.m"),
    "MERGE without state": by_hand(
        "SELECT * FROM arrived", "AND t.m < s.m", MAXIMUM.format("batch")
    ),
    **{f"UPSERT INTO, {emit}": upsert(emit) for emit in ("EMIT ON UPDATE", "EMIT ON CHANGE")},
}


def measure(spark: SparkSession, same: int, rounds: int) -> list[dict[str, Any]]:
    """Returns a row of the report for each way."""
    tables = {name: f"kept_{number}" for number, name in enumerate(WAYS)}
    bodies = {name: partial(run, spark, way, tables[name]) for name, way in WAYS.items()}
    figures = best_of(rounds, lambda: jvm_cpu_seconds(spark) + time.process_time(), bodies)
    expected = spark.sql(MAXIMUM.format("events"))
    rows: list[dict[str, Any]] = []
    for way, table in tables.items():
        kept = spark.table(table)
        assert kept.exceptAll(expected).union(expected.exceptAll(kept)).isEmpty(), (way, same)
        history = spark.sql(f"DESCRIBE HISTORY {table} LIMIT {BATCHES}")
        written = history.selectExpr(
            "sum(bigint(operationMetrics.numTargetBytesAdded)) / 1e6 AS mb",
            "sum(bigint(operationMetrics.numTargetRowsUpdated)) AS rows",
        ).first()
        rows.append(
            {
                "same": f"{same} %",
                "way": way,
                "CPU s": figures[way].cpu,
                "wall s": figures[way].wall,
                "rows updated": written and written.rows,
                "MB written": written and written.mb and round(written.mb, 1),
            }
        )
    return rows


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few keys, one round, 90 %")
    quick = parser.parse_args().quick
    shutil.rmtree(FOLDER, ignore_errors=True)
    delta = table_formats()["delta"]
    spark = session_with(delta, ROOT / "build/table-formats", **CONF)
    keys = KEYS // 10 if quick else KEYS
    rows = []
    for same in (90,) if quick else SAME:
        write_events(spark, keys, same)
        rows += measure(spark, same, 1 if quick else 2)
    spark.stop()
    notes = [
        f"{keys:,} keys, {BATCHES} micro-batches; {delta.jars[0]}, Spark {delta.spark}",
        "same: keys whose maximum stays in a micro-batch",
        "MERGE of all updates: of Spark's Update mode; of what differs: WHEN MATCHED AND the value "
        "is another; without state: of the maxima of each micro-batch, WHEN MATCHED AND smaller",
    ]
    report("merge", "A table of Delta that a stream keeps", rows, notes, keep=not quick)


if __name__ == "__main__":
    main()
