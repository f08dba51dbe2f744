"""Benchmark of the clauses on DataFusion Comet, beside Spark's own operators and DuckDB.

    python benchmarks/native.py [rows per branch] [keys]

The figures are CPU seconds of the whole process, the best of three warm runs that take turns, of
one session that switches Comet on and off. Every way gives the same rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cogroup import (
    BRANCHES,
    KEYS,
    QUERIES,
    ROWS,
    cogroup,
    duckdb_figure,
    full_outer_join,
    in_duckdb,
    same_rows,
    union_and_merge,
    write_branches,
)
from measure import DATA, ROOT, Figure, best_of, jvm_cpu_seconds, report, session_with

from eddyline.versions import native_engines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMET = native_engines()["comet"]
FACTS = 2 * ROWS
TABLES = (*BRANCHES, "carts", "users")
_CLAIM = "count BY buyer, item, with a claim"
_LOOKUP = "lookup of a row for each fact"


@dataclass(frozen=True)
class Query:
    """A query with a clause, and without it.

    Attributes:
        ours: with the clause.
        plain: the ways to write it without one.
        duckdb: the text for DuckDB.
    """

    ours: str
    plain: tuple[str, ...]
    duckdb: str


def queries() -> dict[str, Query]:
    """Returns what is measured."""
    found = {
        f"COGROUP, {name}": Query(
            cogroup(aggregates),
            (full_outer_join(aggregates), union_and_merge(aggregates)),
            in_duckdb(aggregates),
        )
        for name, aggregates in QUERIES.items()
    }
    counted = "SELECT buyer, item, count(*) AS n FROM carts{} GROUP BY buyer, item"
    found[_CLAIM] = Query(
        counted.format(" ASSUME PARTITIONED BY (buyer)"),
        (counted.format(""),),
        counted.format(""),
    )
    looked_up = "SELECT {} f.buyer, f.item, d.name FROM carts AS f JOIN {} AS d ON d.id = f.buyer"
    found[_LOOKUP] = Query(
        looked_up.format("", "users_table"),
        (looked_up.format("/*+ BROADCAST(d) */", "users"),),
        looked_up.format("", "users"),
    )
    return found


def write_tables(spark: SparkSession) -> None:
    """Writes the files of the queries, those of carts with all rows of a user in one file."""
    write_branches(spark)
    carts = spark.range(FACTS).selectExpr(
        f"pmod(xxhash64(id), {KEYS}) AS buyer", "pmod(xxhash64(id, 7), 100) AS item"
    )
    carts.repartition(8, "buyer").write.mode("overwrite").parquet(f"{DATA}/carts")
    users = spark.range(KEYS).selectExpr("id", "concat('user ', id) AS name")
    users.coalesce(1).write.mode("overwrite").parquet(f"{DATA}/users")
    for name in ("carts", "users"):
        spark.read.parquet(f"{DATA}/{name}").createOrReplaceTempView(name)
    spark.sql(
        "CREATE GLOBAL TABLE users_table PRIMARY KEY (id) REFRESH MANUAL "
        f"AS SELECT * FROM parquet.`{DATA}/users`"
    )


def measure(spark: SparkSession, name: str, query: Query) -> dict[str, Any]:
    """Returns a row of the table."""
    assert same_rows(spark, query.ours, *query.plain), name

    def run(sql: str, *, native: bool) -> Callable[[], object]:
        def body() -> None:
            spark.conf.set("spark.comet.enabled", str(native).lower())
            spark.sql(sql).write.format("noop").mode("overwrite").save()

        return body

    ways = {
        **{f"plain {i}": run(sql, native=False) for i, sql in enumerate(query.plain)},
        "ours": run(query.ours, native=False),
        **{f"native plain {i}": run(sql, native=True) for i, sql in enumerate(query.plain)},
        "native ours": run(query.ours, native=True),
    }
    figures = best_of(3, lambda: jvm_cpu_seconds(spark), ways)

    def best(prefix: str) -> Figure:
        return min(
            (figure for way, figure in figures.items() if way.startswith(prefix)),
            key=lambda figure: figure.cpu,
        )

    stock, comet, ours = best("plain"), best("native plain"), figures["native ours"]
    return {
        "query": name,
        "Spark": stock.cpu,
        "ours": figures["ours"].cpu,
        "Comet": comet.cpu,
        "ours, Comet": ours.cpu,
        "DuckDB": duckdb_figure(query.duckdb, TABLES).cpu,
        "/ Spark": round(ours.cpu / stock.cpu, 2),
        "/ Comet": round(ours.cpu / comet.cpu, 2),
        "s, ours": ours.wall,
        "s, Comet": comet.wall,
    }


def main() -> None:
    """Measures and prints the table."""
    spark = session_with(
        COMET, ROOT / "build/comet", "--comet", **{"spark.memory.offHeap.size": "2g"}
    )
    write_tables(spark)
    rows = [measure(spark, name, query) for name, query in queries().items()]
    spark.stop()
    notes = [
        f"{ROWS:,} rows a branch, {FACTS:,} facts, {KEYS:,} keys; {COMET.name}, {COMET.jars[0]}",
        "Spark, Comet: the best way to write the query without a clause; DuckDB: the floor",
        "aims: / Spark <= 0.35 and / Comet <= 1.0 for COGROUP; / Comet <= 1.0 for all",
    ]
    whole = len(sys.argv) == 1
    report("native", "CPU seconds with a native engine", rows, notes, keep=whole, width=150)


if __name__ == "__main__":
    main()
