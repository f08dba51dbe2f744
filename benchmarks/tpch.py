"""Benchmark of TPC-H: the same 22 queries over plain tables, and over claims and global tables.

    python benchmarks/tpch.py [--scale 1] [--rounds 3]

Of lineitem and orders the rows of an order lie together, which a claim says; customer, supplier,
part, nation and region are global tables. The figures are those of the warm run with the least CPU,
in which the ways take turns. Rows have to be equal. `tpchgen-cli` makes the data.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import DATA, beside, best_of, jvm_cpu_seconds, report, session

import eddyline

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

UNITS = 8  # files of a table that is claimed
CLAIMED = {"lineitem": "l_orderkey", "orders": "o_orderkey"}
GLOBAL = {
    "customer": "c_custkey",
    "supplier": "s_suppkey",
    "part": "p_partkey",
    "nation": "n_nationkey",
    "region": "r_regionkey",
}
PLAIN, CLAUSES = "plain", "clauses"  # the databases of the tables
TEXTS = Path(__file__).parent / "versus/tpch.sql"


@dataclass(frozen=True)
class Query:
    """A query of TPC-H.

    Attributes:
        name: its number.
        title: what it asks.
        text: its text, over the tables of the current database.
    """

    name: str
    title: str
    text: str


def queries(scale: float) -> list[Query]:
    """Returns all queries, one of which has a parameter that depends on the scale."""
    texts = TEXTS.read_text("utf-8").replace("{fraction}", f"{0.0001 / scale:.10f}")
    found = re.findall(r"^-- (q\d+): (.+)\n((?:.+\n)+)", texts, re.MULTILINE)
    return [Query(name, title, text.rstrip().rstrip(";")) for name, title, text in found]


def generate(scale: float) -> Path:
    """Returns the folder of the data, which is made unless it is there."""
    folder = DATA / f"tpch-{scale}"
    if not folder.exists():
        program = Path(sys.executable).with_name("tpchgen-cli")
        DATA.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=DATA) as name:
            made = Path(name) / "tables"
            words = ("parquet", "-s", str(scale), "--output-dir", made)
            subprocess.run([program, *words], check=True, stdout=sys.stderr)
            made.rename(folder)
    return folder


def create_tables(spark: SparkSession, folder: Path) -> None:
    """Creates the tables of both databases over the same files."""
    spark.sql(f"CREATE DATABASE {PLAIN}")
    spark.sql(f"CREATE DATABASE {CLAUSES}")
    for name in (*CLAIMED, *GLOBAL, "partsupp"):
        key = CLAIMED.get(name)
        hint = f"/*+ REPARTITION({UNITS}, {key}) */ " if key else ""
        spark.sql(
            f"CREATE TABLE {PLAIN}.{name} USING parquet AS "
            f"SELECT {hint}* FROM parquet.`{folder / name}.parquet`"
        )
    for name, key in CLAIMED.items():
        spark.sql(
            f"CREATE VIEW {CLAUSES}.{name} AS SELECT * FROM {PLAIN}.{name} "
            f"ASSUME PARTITIONED BY ({key}) INTO {UNITS} PARTITIONS USING HASH SPARK"
        )
    for name, key in GLOBAL.items():
        spark.sql(
            f"CREATE GLOBAL TABLE {CLAUSES}.{name} PRIMARY KEY ({key}) REFRESH MANUAL "
            f"AS SELECT * FROM {PLAIN}.{name}"
        )
    spark.sql(f"CREATE VIEW {CLAUSES}.partsupp AS SELECT * FROM {PLAIN}.partsupp")


def rows_of(spark: SparkSession, query: Query, database: str) -> list[Row]:
    """Returns the rows of a query over the tables of a database."""
    spark.catalog.setCurrentDatabase(database)
    return spark.sql(query.text).collect()


def require_equal_rows(spark: SparkSession, query: Query) -> int:
    """Returns the number of rows, which both databases give.

    Raises:
        SystemExit: if the rows differ.
    """
    plain, ours = (rows_of(spark, query, database) for database in (PLAIN, CLAUSES))
    if plain != ours:
        sys.exit(f"{query.name}: the rows differ")
    return len(plain)


def exchanges(spark: SparkSession, query: Query, database: str) -> int:
    """Returns the number of exchanges in the plan of a query."""
    spark.catalog.setCurrentDatabase(database)
    planned = eddyline.why(spark.sql(query.text)).exchanges
    return sum(each.outcome == "KEPT" for each in planned)


def measure(spark: SparkSession, query: Query, rounds: int) -> dict[str, Any]:
    """Returns a row of the table."""
    rows = require_equal_rows(spark, query)
    ways = {each: partial(rows_of, spark, query, each) for each in (PLAIN, CLAUSES)}
    best = best_of(rounds, lambda: jvm_cpu_seconds(spark), ways)
    return {
        "query": query.name,
        "what it asks": query.title,
        "rows": rows,
        "plain exchanges": exchanges(spark, query, PLAIN),
        "our exchanges": exchanges(spark, query, CLAUSES),
        **beside(best[PLAIN], best[CLAUSES]),
    }


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="1 has 6,000,000 lines")
    parser.add_argument("--rounds", type=int, default=3, help="0 compares the rows alone")
    parser.add_argument("--queries", nargs="+", help="such as q1, else all")
    given = parser.parse_args()
    folder = generate(given.scale)
    with tempfile.TemporaryDirectory() as name:
        spark = session(**{"spark.sql.warehouse.dir": name})
        create_tables(spark, folder)
        named = [
            query
            for query in queries(given.scale)
            if not given.queries or query.name in given.queries
        ]
        if not given.rounds:
            for query in named:
                require_equal_rows(spark, query)
            spark.stop()
            print(*(query.name for query in named), "give the same rows")
            return
        rows = [measure(spark, query, given.rounds) for query in named]
        spark.stop()
    ratio = statistics.geometric_mean(row["ratio"] for row in rows)
    notes = [
        f"scale {given.scale}; lineitem and orders in {UNITS} files each, by the key of the order",
        "exchanges: shuffles and broadcasts of the plan",
        f"ratio of CPU, geometric mean of all queries: {ratio:.2f}; all rows are equal",
    ]
    whole = given.scale == parser.get_default("scale") and not given.queries
    report("tpch", "TPC-H", rows, notes, keep=whole, width=150)


if __name__ == "__main__":
    main()
