"""Benchmark of COGROUP and what a Spark expert would write today, beside DuckDB.

    python benchmarks/cogroup.py [rows per branch] [keys]

The figures are CPU seconds of the whole process, the best of three warm runs that take turns. Every
way gives the same rows. DuckDB reads the same files and is the floor.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
from measure import DATA, Figure, best_of, jvm_cpu_seconds, report, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_500_000
KEYS = int(sys.argv[2]) if len(sys.argv) > 2 else 400_000
BRANCHES = ("a", "b", "c")


@dataclass(frozen=True)
class Aggregate:
    """An aggregate of one branch, with its value for a missing branch."""

    branch: str
    function: str
    empty: str = "NULL"

    def over(self, prefix: str) -> str:
        """Returns the call with `prefix` before its columns."""
        return self.function.replace("@", prefix)


SIX = [
    Aggregate("a", "count(@v)", "0"),
    Aggregate("a", "sum(@v)"),
    Aggregate("a", "min(@v)"),
    Aggregate("b", "sum(@v)"),
    Aggregate("b", "max(@v)"),
    Aggregate("c", "max(@v)"),
]
QUERIES: dict[str, list[Aggregate]] = {
    "one aggregate a branch": [
        Aggregate("a", "count(@v)", "0"),
        Aggregate("b", "sum(@v)"),
        Aggregate("c", "max(@v)"),
    ],
    "seven aggregates": [
        *SIX,
        Aggregate("c", "count(@v)", "0"),
    ],
    "six and a list": [
        *SIX,
        Aggregate("c", "array_sort(collect_list(@v))", "array()"),
    ],
    "one DISTINCT": [
        Aggregate("a", "count(DISTINCT @v)", "0"),
        Aggregate("b", "sum(@v)"),
        Aggregate("c", "max(@v)"),
    ],
    "three DISTINCT": [
        Aggregate("a", "count(DISTINCT @v)", "0"),
        Aggregate("b", "count(DISTINCT @v)", "0"),
        Aggregate("c", "count(DISTINCT @v)", "0"),
    ],
}


def cogroup(aggregates: list[Aggregate]) -> str:
    """Returns the COGROUP of the aggregates."""
    items = ", ".join(f"{x.over(x.branch + '.')} AS x{i}" for i, x in enumerate(aggregates))
    return f"COGROUP a BY k, b BY k, c BY k AGGREGATE {items}"


def full_outer_join(aggregates: list[Aggregate]) -> str:
    """Returns the FULL OUTER JOIN of one aggregation a branch."""
    parts = []
    for branch in BRANCHES:
        items = [f"{x.over('')} AS x{i}" for i, x in enumerate(aggregates) if x.branch == branch]
        parts.append(f"(SELECT k, {', '.join(items)} FROM {branch} WHERE k IS NOT NULL GROUP BY k)")
    columns = ", ".join(f"coalesce(x{i}, {x.empty}) AS x{i}" for i, x in enumerate(aggregates))
    return f"SELECT k, {columns} FROM {' FULL OUTER JOIN '.join(parts[:1])} " + " ".join(
        f"FULL OUTER JOIN {part} USING (k)" for part in parts[1:]
    )


def union_and_merge(aggregates: list[Aggregate]) -> str:
    """Returns a UNION ALL of one aggregation a branch, and a merge of its rows by key."""
    parts = []
    for branch in BRANCHES:
        items = [
            f"{x.over('')} AS x{i}" if x.branch == branch else f"NULL AS x{i}"
            for i, x in enumerate(aggregates)
        ]
        parts.append(f"SELECT k, {', '.join(items)} FROM {branch} WHERE k IS NOT NULL GROUP BY k")
    columns = ", ".join(
        f"coalesce(any_value(x{i}) IGNORE NULLS, {x.empty}) AS x{i}"
        for i, x in enumerate(aggregates)
    )
    return f"SELECT k, {columns} FROM ({' UNION ALL '.join(parts)}) GROUP BY k"


def in_duckdb(aggregates: list[Aggregate]) -> str:
    """Returns the FULL OUTER JOIN in DuckDB's SQL."""
    sql = full_outer_join(aggregates)
    return sql.replace("array_sort(collect_list(v))", "list_sort(list(v))").replace("array()", "[]")


def thrown_away(spark: SparkSession, sql: str, preaggregate: bool) -> Callable[[], object]:
    """Returns a run of a query whose rows are thrown away."""

    def run() -> None:
        spark.conf.set("spark.eddyline.cogroup.preaggregate", str(preaggregate).lower())
        spark.sql(sql).write.format("noop").mode("overwrite").save()

    return run


def duckdb_figure(sql: str, tables: Sequence[str] = BRANCHES) -> Figure:
    """Measures the same query in two threads of DuckDB, with its rows thrown away."""
    connection = duckdb.connect(config={"threads": 2})
    for name in tables:
        path = f"{DATA}/{name}/*.parquet"
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{path}')")
    count = f"SELECT count(columns(*)) FROM ({sql})"
    return best_of(3, time.process_time, {"": lambda: connection.sql(count).fetchall()})[""]


def same_rows(spark: SparkSession, *queries: str) -> bool:
    """Returns whether all queries give the same rows, by a hash that ignores their order."""
    digests = set()
    for sql in queries:
        frame = spark.sql(sql)
        columns = ", ".join(frame.columns)
        row = frame.selectExpr(f"xxhash64({columns}) AS h").selectExpr("count(*)", "bit_xor(h)")
        digests.add(tuple(row.collect()[0]))
    return len(digests) == 1


def write_branches(spark: SparkSession) -> None:
    """Writes the files of all branches, and makes a view of each."""
    for i, branch in enumerate(BRANCHES):
        frame = spark.range(ROWS).selectExpr(
            f"pmod(xxhash64(id, {i}), {KEYS}) AS k", f"pmod(xxhash64(id, {i}, 7), 1000) AS v"
        )
        frame.repartition(4).write.mode("overwrite").parquet(f"{DATA}/{branch}")
        spark.read.parquet(f"{DATA}/{branch}").createOrReplaceTempView(branch)


def main() -> None:
    """Measures all ways and prints the table."""
    spark = session()
    write_branches(spark)
    rows: list[dict[str, Any]] = []
    for name, aggregates in QUERIES.items():
        sql = [make(aggregates) for make in (cogroup, full_outer_join, union_and_merge)]
        for preaggregate in ("true", "false"):
            spark.conf.set("spark.eddyline.cogroup.preaggregate", preaggregate)
            assert same_rows(spark, *sql), name
        figures = best_of(
            3,
            lambda: jvm_cpu_seconds(spark),
            {
                "ours": thrown_away(spark, sql[0], True),
                "flat": thrown_away(spark, sql[0], False),
                "join": thrown_away(spark, sql[1], True),
                "merge": thrown_away(spark, sql[2], True),
            },
        )
        ours, flat, join, union = figures.values()
        floor = duckdb_figure(in_duckdb(aggregates))
        best = min(join.cpu, union.cpu)
        rows.append(
            {
                "query": name,
                "COGROUP": ours.cpu,
                "flat": flat.cpu,
                "outer join": join.cpu,
                "merge": union.cpu,
                "DuckDB": floor.cpu,
                "ours / best": round(ours.cpu / best, 2),
                "wall ours": ours.wall,
                "wall join": join.wall,
            }
        )
    title = f"CPU seconds: 3 branches of {ROWS:,} rows, {KEYS:,} keys"
    report(
        "cogroup",
        title,
        rows,
        [
            "flat: with spark.eddyline.cogroup.preaggregate=false, one exchange a query",
            "outer join: of one aggregate a branch; merge: their UNION ALL, merged by key",
            "aim: ours / best <= 1.0, best being the better of outer join and merge",
            "six and a list, missed: Spark merges lists by a sort of the rows of all branches",
        ],
    )
    spark.stop()


if __name__ == "__main__":
    main()
