"""Benchmark of the options of EMIT ON CHANGE KEY beside EMIT ON CHANGE KEY without one.

    python benchmarks/emit_options.py [--quick]

Every batch holds each key once, and nine of ten keys keep their value. The streams, turns and
figures are those of `benchmarks/emit.py`.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from statistics import mean, median
from typing import TYPE_CHECKING

from emit import CONF, STORES, Figures, Plan, Rows, Way, events, measure, to_noop
from measure import report, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAME = 90
KEY = "KEY (k)"
DUE = f"{KEY} HEARTBEAT, all due"
CLAUSES = {
    KEY: KEY,
    f"{KEY} TOLERANCE": f"{KEY} TOLERANCE 0.5",
    f"{KEY} ORDER BY": f"{KEY} ORDER BY b",
    f"{KEY} EXPIRE AFTER": f"{KEY} EXPIRE AFTER 1000 DAYS",
    f"{KEY} HEARTBEAT, none due": f"{KEY} HEARTBEAT 1000 DAYS",
    DUE: f"{KEY} HEARTBEAT 1 MILLISECOND",
}


def way(clause: str) -> Way:
    """Returns the stream with the clause."""
    sql = f"SELECT k, v, b, ts FROM changes EMIT ON CHANGE OF (v) {clause}"
    return lambda spark, _: to_noop(spark.sql(sql))


def stream(spark: SparkSession, keys: int) -> None:
    """Creates the view `changes` of the endless stream: a key, a value, the batch and its time."""
    rate = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", keys).load()
    timed = events(rate, keys, SAME).selectExpr("*", "timestamp_seconds(b) AS ts")
    timed.withWatermark("ts", "0 seconds").createOrReplaceTempView("changes")


def oracle(spark: SparkSession, plan: Plan) -> list[int]:
    """Returns, for every batch, how many values differ from those before them, by a batch query."""
    numbers = spark.range(plan.keys * plan.batches).withColumnRenamed("id", "value")
    events(numbers, plan.keys, SAME).createOrReplaceTempView("rows")
    counts = spark.sql("""
        SELECT b, count_if(before IS DISTINCT FROM v) AS n
        FROM (SELECT b, v, lag(v) OVER (PARTITION BY k ORDER BY b) AS before FROM rows)
        GROUP BY b ORDER BY b""")
    return [row.n for row in counts.collect()]


def table(store: str, figures: dict[str, Figures], changed: list[int]) -> Rows:
    """Returns a row of the report for each clause; KEY alone is the first."""
    plain = figures[KEY]
    return [
        {
            "store": store,
            "clause": name,
            "state ms": round(median(figure.state_ms)),
            "CPU x": round(median(figure.state_ms) / median(plain.state_ms), 2),
            "rows": round(median(figure.rows)),
            "changed": round(median(changed)),
            "KB": round(mean(figure.written) / 1e3),
            "KB x": round(mean(figure.written) / mean(plain.written), 2),
        }
        for name, figure in figures.items()
    ]


def main() -> None:
    """Measures both stores and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few keys and batches")
    quick = parser.parse_args().quick
    plan = Plan(10_000, 2, 2, 1) if quick else Plan()
    spark = session(**CONF)
    ways = {name: way(clause) for name, clause in CLAUSES.items()}
    changed = oracle(spark, plan)[plan.warm :] * plan.rounds
    rows: Rows = []
    for name in ("HDFS", "RocksDB"):
        STORES[name].use(spark)
        stream(spark, plan.keys)
        measure(spark, ways, replace(plan, rounds=1))
        figures = measure(spark, ways, plan)
        for clause, figure in figures.items():
            expected = [plan.keys] * len(changed) if clause == DUE else changed
            assert figure.rows == expected, (name, clause)
        rows += table(name, figures, changed)
    report(
        "emit_options",
        f"{plan.keys:,} keys, as many rows a batch, {SAME} % unchanged: medians of "
        f"{plan.measured * plan.rounds} batches",
        rows,
        [
            "changed: values that differ from those before; all but the last clause emit these, "
            "the last one emits every key in every batch",
            "state ms: CPU of the tasks of a batch's last stage, which sorts, compares and emits",
            "CPU x, KB x: by KEY alone; KB: written below the checkpoint a batch",
            "ORDER BY, EXPIRE AFTER: each row of a key writes its latest order or time",
        ],
        keep=not quick,
    )
    spark.stop()


if __name__ == "__main__":
    main()
