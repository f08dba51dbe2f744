"""ASSUME PARTITIONED BY against the shuffle it saves; buckets as the ceiling, DuckDB as the floor.

    python benchmarks/assume.py [rows] [users]

CPU seconds of the process without the JVM's compiler, the best of five warm runs that take turns.
Every way reads the same rows and gives the same groups. Only the default sizes are kept as the
result.
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
import polars
from measure import DATA, Figure, best_of, report, session
from process_cpu import NO_MORE_COMPILERS, Cpu

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULTS = (4_000_000, 400_000)
ROWS, USERS = (*map(int, sys.argv[1:3]), *DEFAULTS[len(sys.argv[1:3]) :])
FILES = DATA / "assume/files"
DAYS = DATA / "assume/days"
BUCKETS = DATA / "assume/buckets"
SCHEMA = "user_id LONG, item LONG, amount DOUBLE, day INT"  # given, since to infer it is a job
AIMED = "count BY user, item"
# name: the claim, the query with the relation as {t}, and where the rows lie
QUERIES = {
    "sum, count BY user": (
        "user_id",
        "SELECT user_id, sum(amount) AS s, count(*) AS n FROM {t} GROUP BY user_id",
        FILES,
    ),
    AIMED: (
        "user_id",
        "SELECT user_id, item, count(*) AS n FROM {t} GROUP BY user_id, item",
        FILES,
    ),
    "totals of sum BY user": (  # an Exchange above: the claim is checked by the groups
        "user_id",
        "SELECT count(*) AS users, sum(s) AS s "
        "FROM (SELECT user_id, sum(amount) AS s FROM {t} GROUP BY user_id)",
        FILES,
    ),
    "totals of count BY user, item": (
        "user_id",
        "SELECT count(*) AS pairs, sum(n) AS n "
        "FROM (SELECT user_id, item, count(*) AS n FROM {t} GROUP BY user_id, item)",
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
        "pmod(xxhash64(id, 2), 1000) / 8 AS amount",  # eighths: the order of a sum means nothing
        "CAST(pmod(xxhash64(id, 3), 8) AS INT) AS day",
    )
    rows.repartition(8, "user_id").write.parquet(str(FILES))
    rows.repartition(8, "day").write.partitionBy("day").parquet(str(DAYS))
    bucketed = rows.repartition(8, "user_id").write.bucketBy(8, "user_id")
    bucketed.option("path", str(BUCKETS)).saveAsTable("buckets")


def listed(spark: SparkSession, path: Path) -> None:
    """List the files anew, as the relation t."""
    spark.read.schema(SCHEMA).parquet(str(path)).createOrReplaceTempView("t")


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


def cpu_seconds(spark: SparkSession) -> float:
    """What the JVM has taken so far, without its compiler."""
    spent = Cpu.now(spark)
    return (spent.all - spent.compiler) / 1000


def floor(run: Callable[[], object]) -> Figure:
    """The best of three runs in this process."""
    return best_of(3, time.process_time, {"": run})[""]


def duckdb_figure(query: str, path: Path) -> Figure:
    """The same groups by two threads of DuckDB; the hash needs all columns of each."""
    with duckdb.connect() as connection:
        connection.execute("SET threads TO 2")
        relation = f"read_parquet('{path}/**/*.parquet', hive_partitioning = true)"
        sql = f"SELECT count(*), bit_xor(hash(g)) FROM ({query.format(t=relation)}) AS g"
        return floor(lambda: connection.execute(sql).fetchall())


def polars_figure(query: str, path: Path) -> Figure:
    """The same groups by Polars, in as many threads as it likes."""
    frame = polars.scan_parquet(f"{path}/**/*.parquet", hive_partitioning=True)
    context = polars.SQLContext(t=frame)
    return floor(lambda: context.execute(query.format(t="t")).collect())


def aims(row: dict[str, Any]) -> list[str]:
    """Which aims a row meets and which it misses, and what Spark itself reaches with buckets."""
    met = {
        "plain / trusted >= 4": row["plain / trusted"] >= 4,
        "plain / cold >= 2.5": row["plain / cold"] >= 2.5,
        "cached / trusted <= 1.05": row["cached / trusted"] <= 1.05,
    }
    ceiling = f"plain / bucketed, the ceiling, is {row['plain'] / row['bucketed']:.2f}"
    return [
        *(f"aim {'met' if is_met else 'MISSED'}: {aim}" for aim, is_met in met.items()),
        ceiling,
    ]


def main() -> None:
    """Print the table."""
    spark = session(**{"spark.driver.extraJavaOptions": NO_MORE_COMPILERS})
    spark.conf.set("spark.sql.ansi.enabled", "false")  # the checksum overflows
    write(spark)
    rows: list[dict[str, Any]] = []
    for name, (keys, query, path) in QUERIES.items():
        assert same_groups(spark, query, keys, path), name
        figures = best_of(5, lambda: cpu_seconds(spark), ways(spark, query, keys, path))
        others = {"DuckDB": duckdb_figure(query, path), "Polars": polars_figure(query, path)}
        plain, trusted = figures["plain"], figures["trusted"]
        rows.append(
            {
                "query": name,
                **{way: figure.cpu for way, figure in figures.items()},
                **{name: figure.cpu for name, figure in others.items()},
                "plain / trusted": round(plain.cpu / trusted.cpu, 2),
                "plain / cold": round(plain.cpu / figures["cold"].cpu, 2),
                "cached / trusted": round(figures["cached"].cpu / trusted.cpu, 2),
            }
        )
    report(
        "assume",
        f"CPU seconds: {ROWS:,} rows, {USERS:,} users, 8 files by user, 8 days",
        rows,
        [
            "trusted: NOT ENFORCED; cold: enforced, checked first; cached: enforced, verdict known",
            "bucketed: the same rows in a table of 8 buckets by user",
            "DuckDB: two threads; Polars: as many as it likes",
            *(f"{AIMED}: {aim}" for row in rows if row["query"] == AIMED for aim in aims(row)),
        ],
        keep=(ROWS, USERS) == DEFAULTS,
    )
    spark.stop()


if __name__ == "__main__":
    main()
