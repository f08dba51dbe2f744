"""ASSUME PARTITIONED BY against the shuffle it saves; buckets as the ceiling, DuckDB as the floor.

    python benchmarks/assume.py [rows] [users]

CPU seconds of the whole process, the best of three warm runs that take turns. Every way reads the
same rows and gives the same groups.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
from measure import DATA, Figure, best_of, jvm_cpu_seconds, report, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000
USERS = int(sys.argv[2]) if len(sys.argv) > 2 else 400_000
FILES = DATA / "assume/files"
DAYS = DATA / "assume/days"
BUCKETS = DATA / "assume/buckets"
# name: the claim, the query with the relation as {t}, and where the rows lie
QUERIES = {
    "sum, count BY user": (
        "user_id",
        "SELECT user_id, sum(amount) AS s, count(*) AS n FROM {t} GROUP BY user_id",
        FILES,
    ),
    "count BY user, item": (
        "user_id",
        "SELECT user_id, item, count(*) AS n FROM {t} GROUP BY user_id, item",
        FILES,
    ),
    "count DISTINCT item BY user": (
        "user_id",
        "SELECT user_id, count(DISTINCT item) AS n FROM {t} GROUP BY user_id",
        FILES,
    ),
    "count BY day, user": (
        "day, user_id",
        "SELECT day, user_id, count(*) AS n FROM {t} GROUP BY day, user_id",
        DAYS,
    ),
}


def write(spark: SparkSession) -> None:
    """The same rows by user, by day, and in buckets."""
    shutil.rmtree(DATA / "assume", ignore_errors=True)
    spark.sql("DROP TABLE IF EXISTS buckets")
    rows = spark.range(ROWS).selectExpr(
        f"pmod(xxhash64(id), {USERS}) AS user_id",
        "pmod(xxhash64(id, 1), 100000) AS item",
        "pmod(xxhash64(id, 2), 1000) / 10 AS amount",
        "CAST(pmod(xxhash64(id, 3), 8) AS INT) AS day",
    )
    rows.repartition(8, "user_id").write.parquet(str(FILES))
    rows.repartition(8, "day").write.partitionBy("day").parquet(str(DAYS))
    bucketed = rows.repartition(8, "user_id").write.bucketBy(8, "user_id")
    bucketed.option("path", str(BUCKETS)).saveAsTable("buckets")


def listed(spark: SparkSession, path: Path) -> None:
    """List the files anew, as the relation t."""
    spark.read.parquet(str(path)).createOrReplaceTempView("t")


def touched(path: Path) -> None:
    """Give every file another time of change, so that no verdict holds for it."""
    for file in path.rglob("*.parquet"):
        os.utime(file, (time.time() + 60, time.time() + 60))


def ways(spark: SparkSession, query: str, keys: str, path: Path) -> dict[str, Callable[[], object]]:
    """Each way to run the query."""

    def run(relation: str, *, cold: bool = False) -> Callable[[], object]:
        def body() -> None:
            if cold:
                touched(path)
            listed(spark, path)
            sql = query.format(t=relation)
            spark.sql(sql).write.format("noop").mode("overwrite").save()

        return body

    claim = f"t ASSUME PARTITIONED BY ({keys})"
    return {
        "plain": run("t"),
        "trusted": run(f"{claim} NOT ENFORCED"),
        "cold": run(claim, cold=True),
        "cached": run(claim),
        "bucketed": run("buckets"),
    }


def same_groups(spark: SparkSession, query: str, keys: str, path: Path) -> bool:
    """Whether the query gives the same groups with and without its claim, and over buckets."""
    listed(spark, path)
    checksum = "SELECT count(*), sum(xxhash64(*)) FROM ({})"
    relations = ("t", f"t ASSUME PARTITIONED BY ({keys})", "buckets")
    found = {spark.sql(checksum.format(query.format(t=t))).collect()[0] for t in relations}
    return len(found) == 1


def duckdb_figure(query: str, path: Path) -> Figure:
    """The same groups, counted by two threads."""
    figures = []
    with duckdb.connect() as connection:
        connection.execute("SET threads TO 2")
        relation = f"read_parquet('{path}/**/*.parquet', hive_partitioning = true)"
        for _ in range(3):
            cpu, wall = time.process_time(), time.perf_counter()
            connection.execute(f"SELECT count(*) FROM ({query.format(t=relation)})").fetchall()
            figures.append(
                Figure(round(time.process_time() - cpu, 2), round(time.perf_counter() - wall, 2))
            )
    return min(figures, key=lambda figure: figure.cpu)


def main() -> None:
    """Print the table."""
    spark = session()
    spark.conf.set("spark.sql.ansi.enabled", "false")  # the checksum overflows
    write(spark)
    rows: list[dict[str, Any]] = []
    for name, (keys, query, path) in QUERIES.items():
        assert same_groups(spark, query, keys, path), name
        figures = best_of(3, lambda: jvm_cpu_seconds(spark), ways(spark, query, keys, path))
        floor = duckdb_figure(query, path)
        plain = figures["plain"]
        rows.append(
            {
                "query": name,
                **{way: figure.cpu for way, figure in figures.items()},
                "DuckDB": floor.cpu,
                "plain / trusted": round(plain.cpu / figures["trusted"].cpu, 1),
                "plain / cold": round(plain.cpu / figures["cold"].cpu, 1),
                "cached / trusted": round(figures["cached"].cpu / figures["trusted"].cpu, 2),
            }
        )
    report(
        "assume",
        f"CPU seconds: {ROWS:,} rows, {USERS:,} users, 8 files by user, 8 days",
        rows,
        [
            "trusted: NOT ENFORCED; cold: enforced, checked first; cached: enforced, verdict known",
            "bucketed: the same rows in a table of 8 buckets by user",
            "aims for BY user, item: plain / trusted >= 4, plain / cold >= 2.5, "
            "cached / trusted <= 1.05",
        ],
    )
    spark.stop()


if __name__ == "__main__":
    main()
