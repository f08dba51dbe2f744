"""Benchmark of ASSUME PARTITIONED BY and the shuffle it saves, beside buckets and DuckDB.

    python benchmarks/assume.py [rows] [users]

Buckets are the ceiling, and DuckDB on the same files is the floor. The figures are CPU seconds of
the process without the JVM's compiler, the best of three warm runs that take turns, and of five for
the query that has aims. Every way reads the same rows and gives the same groups. Only a run with
the default sizes is kept as the result.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import polars
from measure import DATA, Figure, best_of, report, session, shuffled_bytes
from process_cpu import NO_MORE_COMPILERS, Cpu

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DEFAULTS = (4_000_000, 400_000)
ROWS, USERS = (*map(int, sys.argv[1:3]), *DEFAULTS[len(sys.argv[1:3]) :])
FEWER = ROWS // 8
SIDE = ROWS // 2
FOLDER = DATA / "assume"
FILES, DAYS, FEW, ONE = (FOLDER / name for name in ("files", "days", "few", "one"))
SIDES = ("a", "b", "c")
SCHEMA = "user_id LONG, item LONG, amount DOUBLE, day INT"  # given: inferring it takes a job
FORCE = "spark.eddyline.assume.force"
HASH_CHECK = "INTO 8 PARTITIONS USING HASH SPARK"


@dataclass(frozen=True)
class Case:
    """A query and the files with its rows.

    Attributes:
        query: text with {claim} after each relation, which is {t} if it is the only one.
        views: folders of Parquet files, by their name in the query.
        keys: the keys that are claimed.
        layout: the layout that a claim states.
        hash_check: whether the files are numbered by the hash of the keys.
        buckets: a table with the same rows, in buckets.
        force: whether the claim must be forced, as it has too few units.
        rewrite: the same query in SQL without COGROUP.
    """

    query: str
    views: dict[str, Path]
    keys: str = "user_id"
    layout: str = ""
    hash_check: bool = True
    buckets: str | None = "buckets"
    force: bool = False
    rewrite: str | None = None

    def sql(self, claim: str = "", relation: str = "t") -> str:
        """Returns the text with `claim` after the keys of each claim, or without claims."""
        claim = claim and f" ASSUME PARTITIONED BY ({self.keys}) {claim}"
        return self.query.format(t=relation, claim=claim)

    def elsewhere(self) -> str:
        """Returns the text for other engines."""
        return self.rewrite or self.sql()


AIMED = "count BY user, item"
COGROUPED = f"COGROUP of 3 x {SIDE:,} rows"
CASES = {
    "sum, count BY user": Case(
        "SELECT user_id, sum(amount) AS s, count(*) AS n FROM {t}{claim} GROUP BY user_id",
        {"t": FILES},
    ),
    AIMED: Case(
        "SELECT user_id, item, count(*) AS n FROM {t}{claim} GROUP BY user_id, item",
        {"t": FILES},
    ),
    "totals of sum BY user": Case(  # an Exchange above: the claim is checked by the groups
        "SELECT count(*) AS users, sum(s) AS s "
        "FROM (SELECT user_id, sum(amount) AS s FROM {t}{claim} GROUP BY user_id)",
        {"t": FILES},
    ),
    "totals of count BY user, item": Case(
        "SELECT count(*) AS pairs, sum(n) AS n "
        "FROM (SELECT user_id, item, count(*) AS n FROM {t}{claim} GROUP BY user_id, item)",
        {"t": FILES},
    ),
    "count DISTINCT item BY user": Case(
        "SELECT user_id, count(DISTINCT item) AS n FROM {t}{claim} GROUP BY user_id",
        {"t": FILES},
    ),
    "count BY day, user": Case(
        "SELECT day, user_id, count(*) AS n FROM {t}{claim} GROUP BY day, user_id",
        {"t": DAYS},
        keys="day, user_id",
        hash_check=False,
    ),
    f"row_number BY user, {FEWER:,} rows": Case(
        "SELECT user_id, item, row_number() OVER (PARTITION BY user_id ORDER BY item) AS r "
        "FROM {t}{claim}",
        {"t": FEW},
        buckets="few_buckets",
    ),
    "sum, count BY user; one unit": Case(
        "SELECT user_id, sum(amount) AS s, count(*) AS n FROM {t}{claim} GROUP BY user_id",
        {"t": ONE},
        hash_check=False,
        buckets=None,
        force=True,
    ),
    COGROUPED: Case(
        "COGROUP a{claim} BY user_id, b{claim} BY user_id, c{claim} BY user_id "
        "AGGREGATE count(a.item) AS n, sum(b.amount) AS s, max(c.item) AS m",
        {side: FOLDER / side for side in SIDES},
        layout="LAYOUT users",
        buckets=None,
        rewrite="SELECT user_id, coalesce(n, 0) AS n, s, m "
        "FROM (SELECT user_id, count(item) AS n FROM a GROUP BY user_id) AS ga "
        "FULL JOIN (SELECT user_id, sum(amount) AS s FROM b GROUP BY user_id) AS gb "
        "USING (user_id) "
        "FULL JOIN (SELECT user_id, max(item) AS m FROM c GROUP BY user_id) AS gc USING (user_id)",
    ),
}


def write(spark: SparkSession) -> None:
    """Writes the same rows by user, by day and in buckets, and the sides of a COGROUP."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    rows = made(spark, 0, ROWS)
    few = made(spark, 0, FEWER)
    rows.repartition(8, "user_id").write.parquet(str(FILES))
    rows.repartition(8, "day").write.partitionBy("day").parquet(str(DAYS))
    few.repartition(8, "user_id").write.parquet(str(FEW))
    # row groups of 4 MiB, so that without a claim all cores read the file
    rows.coalesce(1).write.option("parquet.block.size", 4 << 20).parquet(str(ONE))
    for number, side in enumerate(SIDES):
        of_side = made(spark, number * SIDE, SIDE)
        of_side.repartition(8, "user_id").write.parquet(str(FOLDER / side))
    for table, frame in (("buckets", rows), ("few_buckets", few)):
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        bucketed = frame.repartition(8, "user_id").write.bucketBy(8, "user_id")
        bucketed.option("path", str(FOLDER / table)).saveAsTable(table)


def made(spark: SparkSession, start: int, count: int) -> DataFrame:
    """Returns rows that are a function of their number."""
    return spark.range(start, start + count).selectExpr(
        f"pmod(xxhash64(id), {USERS}) AS user_id",
        "pmod(xxhash64(id, 1), 100000) AS item",
        "pmod(xxhash64(id, 2), 1000) / 8 AS amount",  # eighths: sums do not depend on the order
        "CAST(pmod(xxhash64(id, 3), 8) AS INT) AS day",
    )


def listed(spark: SparkSession, case: Case) -> None:
    """Lists the files again, as the views of the case."""
    for name, path in case.views.items():
        spark.read.schema(SCHEMA).parquet(str(path)).createOrReplaceTempView(name)


def touched(case: Case) -> None:
    """Changes the modification time of every file, so that no verdict holds for it."""
    for path in case.views.values():
        for file in path.rglob("*.parquet"):
            os.utime(file, (time.time() + 60, time.time() + 60))


def ways(spark: SparkSession, case: Case) -> dict[str, Callable[[], object]]:
    """Returns each way to run the query, by name."""

    def run(sql: str, *, cold: bool = False) -> Callable[[], object]:
        def body() -> None:
            if cold:
                touched(case)
            listed(spark, case)
            spark.sql(sql).write.format("noop").mode("overwrite").save()

        return body

    texts = statements(case)
    return {way: run(sql, cold=way in ("cold", "hash check")) for way, sql in texts.items()}


def statements(case: Case) -> dict[str, str]:
    """Returns the text of each way."""
    # no shuffle can replace a layout
    enforced = f"{case.layout} ENFORCED ON VIOLATION FAIL" if case.layout else "ENFORCED"
    texts = {
        "plain": case.sql(),
        "trusted": case.sql(f"{case.layout} NOT ENFORCED"),
        "cold": case.sql(enforced),
        "cached": case.sql(enforced),
    }
    if case.hash_check:
        texts["hash check"] = case.sql(HASH_CHECK)
    if case.buckets:
        texts["bucketed"] = case.sql(relation=case.buckets)
    if case.rewrite:
        texts["rewrite"] = case.rewrite
    return texts


def same_groups(spark: SparkSession, case: Case) -> bool:
    """Returns whether all ways give the same groups."""
    listed(spark, case)
    checksum = "SELECT count(*), sum(xxhash64(*)) FROM ({})"
    texts = set(statements(case).values())
    return len({spark.sql(checksum.format(sql)).collect()[0] for sql in texts}) == 1


def cpu_seconds(spark: SparkSession) -> float:
    """Returns the CPU seconds of the JVM so far, without its compiler."""
    spent = Cpu.now(spark)
    return (spent.all - spent.compiler) / 1000


def floor(run: Callable[[], object]) -> Figure:
    """Returns the best of three runs in this process."""
    return best_of(3, time.process_time, {"": run})[""]


def duckdb_figure(case: Case) -> Figure:
    """Measures the same groups in two threads of DuckDB; the hash needs all columns of each."""
    with duckdb.connect() as connection:
        connection.execute("SET threads TO 2")
        for name, path in case.views.items():
            relation = f"read_parquet('{path}/**/*.parquet', hive_partitioning = true)"
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {relation}")
        sql = f"SELECT count(*), bit_xor(hash(g)) FROM ({case.elsewhere()}) AS g"
        return floor(lambda: connection.execute(sql).fetchall())


def polars_figure(case: Case) -> Figure:
    """Measures the same groups in Polars, which chooses the number of threads."""
    context = polars.SQLContext()
    for name, path in case.views.items():
        frame = polars.scan_parquet(f"{path}/**/*.parquet", hive_partitioning=True)
        context.register(name, frame)
    return floor(lambda: context.execute(case.elsewhere()).collect())


def measured(spark: SparkSession, name: str, case: Case) -> dict[str, Any]:
    """Returns the row of a case in the table."""
    spark.conf.set(FORCE, str(case.force).lower())
    assert same_groups(spark, case), name
    bodies = ways(spark, case)
    figures = best_of(5 if name == AIMED else 3, lambda: cpu_seconds(spark), bodies)
    saved = shuffled_bytes(spark, bodies["plain"]) - shuffled_bytes(spark, bodies["trusted"])
    plain, trusted = figures["plain"], figures["trusted"]
    columns = ("plain", "trusted", "cold", "cached", "hash check", "bucketed", "rewrite")
    return {
        "query": name,
        **{way: figures[way].cpu if way in figures else None for way in columns},
        "DuckDB": duckdb_figure(case).cpu,
        # the FULL JOIN USING of Polars gives other keys
        "Polars": None if case.rewrite else polars_figure(case).cpu,
        "plain / trusted": round(plain.cpu / trusted.cpu, 2),
        "plain / cold": round(plain.cpu / figures["cold"].cpu, 2),
        "cached / trusted": round(figures["cached"].cpu / trusted.cpu, 2),
        "wall: plain / trusted": round(plain.wall / trusted.wall, 2),
        "shuffle MB saved": round(saved / 1e6, 1),
    }


def aims(row: dict[str, Any]) -> list[str]:
    """Returns the aims that a row meets or misses, and what Spark itself reaches with buckets."""
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
    """Measures all cases and prints the table."""
    spark = session(**{"spark.driver.extraJavaOptions": NO_MORE_COMPILERS})
    spark.conf.set("spark.sql.ansi.enabled", "false")  # the checksum overflows
    write(spark)
    rows = [measured(spark, name, case) for name, case in CASES.items()]
    report(
        "assume",
        f"CPU seconds: {ROWS:,} rows, {USERS:,} users, 8 files by user, 8 days",
        rows,
        [
            "trusted: NOT ENFORCED; cold: enforced, checked first; cached: enforced, verdict known",
            f"hash check: {HASH_CHECK}, checked first",
            "bucketed: the same rows in a table of 8 buckets by user",
            f"one unit: all rows in one file, which plain reads in parts; needs {FORCE}",
            "COGROUP: plain is the union that it stands for, rewrite a FULL JOIN of three "
            "aggregates; both of unclaimed files, the others LAYOUT users",
            "DuckDB: two threads; Polars: as many as it likes",
            *(f"{AIMED}: {aim}" for row in rows if row["query"] == AIMED for aim in aims(row)),
        ],
        keep=(ROWS, USERS) == DEFAULTS,
        width=170,
    )
    spark.stop()


if __name__ == "__main__":
    main()
