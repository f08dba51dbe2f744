"""Benchmark of Nexmark's queries: plain Spark and the clauses, as streams.

    python benchmarks/nexmark.py [--events 2000000] [--rounds 3]

Each query runs as a stream over files, of which each is a micro-batch, and appends its results to
files. They have to equal those of the batch query. Printed is the least CPU of the rounds, in which
the ways take turns. Not run are q0 to q2, q10, q14, q21 and q22, which have neither state nor join;
q3, q9 and q20, whose results are rows of two streams; q4 and q6, which aggregate the winning bids
of q9; q12, whose windows are of the time of processing, so that two runs differ; and q15 to q19,
which are further aggregates of one stream.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import DATA, beside, best_of, jvm_cpu_seconds, report, session
from versus.nexmark import Nexmark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILES = 10
SIDE = 10_000  # rows of the side input of q13
PLAIN, CLAUSES = "plain Spark", "eddyline"


@dataclass(frozen=True)
class Query:
    """A query of Nexmark.

    Attributes:
        name: its number.
        title: what it asks.
        spark: the query of plain Spark, in batch and as a stream.
        eddyline: the query with a clause.
    """

    name: str
    title: str
    spark: str
    eddyline: str


def _windows(name: str, title: str, query: str) -> Query:
    """Returns a query that only says when its results come."""
    return Query(name, title, query, f"{query} EMIT ON WINDOW CLOSE")


QUERIES = [
    _windows(
        "q5",
        "auction with most bids, hopping windows",
        "SELECT w.start AS at, max(struct(bids, auction)) AS hottest FROM "
        "(SELECT window(at, '10 seconds', '2 seconds') AS w, auction, count(*) AS bids FROM bid "
        "GROUP BY 1, 2) GROUP BY w",
    ),
    _windows(
        "q7",
        "highest bid, tumbling windows",
        "SELECT window.start AS at, max(struct(price, auction, bidder)) AS highest FROM bid "
        "GROUP BY window(at, '10 seconds')",
    ),
    Query(
        "q8",
        "new persons who sell, tumbling windows",
        "SELECT p.id, p.w.start AS at, p.name FROM "
        "(SELECT id, window(at, '10 seconds') AS w, max(name) AS name FROM person GROUP BY 1, 2) p "
        "JOIN (SELECT seller, window(at, '10 seconds') AS w FROM auction GROUP BY 1, 2) a "
        "ON p.id = a.seller AND p.w = a.w",
        "SELECT id, w.start AS at, name FROM (COGROUP "
        "person AS p BY (p.id AS id, window(p.at, '10 seconds') AS w), "
        "auction AS a BY (a.seller, window(a.at, '10 seconds')) "
        "AGGREGATE max(p.name) AS name HAVING EVERY BRANCH EMIT ON WINDOW CLOSE)",
    ),
    _windows(
        "q11",
        "bids of a person, session windows",
        "SELECT bidder, session_window.start AS at, count(*) AS bids FROM bid "
        "GROUP BY bidder, session_window(at, '1 second')",
    ),
    Query(
        "q13",
        "lookup in a side input",
        "SELECT /*+ BROADCAST(s) */ auction, bidder, price, s.value FROM bid "
        "JOIN side AS s ON s.key = auction % 10000",
        "SELECT auction, bidder, price, g.value FROM bid "
        "JOIN side_table AS g ON g.key = auction % 10000",
    ),
]


class Bench:
    """A session with streams of events."""

    def __init__(self, spark: SparkSession, events: Nexmark) -> None:
        self._spark = spark
        self._events = events
        spark.sql(
            f"CREATE TABLE side USING parquet AS SELECT id AS key, concat('value ', id) AS value "
            f"FROM range({SIDE})"
        )
        spark.sql(
            "CREATE GLOBAL TABLE side_table PRIMARY KEY (key) REFRESH MANUAL AS SELECT * FROM side"
        )

    def views(self, *, stream: bool) -> None:
        """Makes the views of the events."""
        for kind in ("person", "auction", "bid"):
            folder = str(self._events.folder / kind)
            batch = self._spark.read.parquet(folder)
            if stream:
                reader = self._spark.readStream.schema(batch.schema)
                frame = reader.option("maxFilesPerTrigger", 1).parquet(folder)
                frame.withWatermark("at", "0 seconds").createOrReplaceTempView(kind)
            else:
                batch.createOrReplaceTempView(kind)

    def run(self, query: str, folder: Path) -> None:
        """Runs a query as a stream, whose results are files in the folder."""
        writer = self._spark.sql(query).writeStream.format("parquet").trigger(availableNow=True)
        writer = writer.option("checkpointLocation", f"{folder}/checkpoint")
        writer.start(f"{folder}/results").awaitTermination()

    def expected(self, query: Query) -> list[str]:
        """Returns the results of the batch query."""
        return self._lines(self._spark.sql(query.spark))

    def found(self, folder: Path) -> list[str]:
        """Returns the results of a stream."""
        return self._lines(self._spark.read.parquet(f"{folder}/results"))

    def _lines(self, frame: DataFrame) -> list[str]:
        """Returns rows but those of the last event, whose windows no stream closes."""
        rows = frame.where("at < DATE'2015-10-01'") if "at" in frame.columns else frame
        return sorted(row[0] for row in rows.selectExpr("to_json(struct(*))").collect())


def measure(bench: Bench, query: Query, rounds: int, cpu: Callable[[], float]) -> dict[str, Any]:
    """Returns a row of the table.

    Raises:
        SystemExit: if a stream has other results than the batch query.
    """
    bench.views(stream=False)
    expected = bench.expected(query)
    bench.views(stream=True)
    with tempfile.TemporaryDirectory() as name:
        folders: dict[str, Path] = {}

        def way(which: str, text: str) -> Callable[[], None]:
            def body() -> None:
                folders[which] = Path(tempfile.mkdtemp(dir=name))
                bench.run(text, folders[which])

            return body

        ways: dict[str, Callable[[], object]] = {
            PLAIN: way(PLAIN, query.spark),
            CLAUSES: way(CLAUSES, query.eddyline),
        }
        best = best_of(rounds, cpu, ways)
        for which, folder in folders.items():
            if bench.found(folder) != expected:
                sys.exit(f"{query.name}: {which} has other results than the batch query")
    return {
        "query": query.name,
        "what it asks": query.title,
        "results": len(expected),
        **beside(best[PLAIN], best[CLAUSES]),
    }


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    names = [query.name for query in QUERIES]
    parser.add_argument("--queries", nargs="+", choices=names, default=names)
    given = parser.parse_args()
    events = Nexmark(DATA / f"nexmark-{given.events}", given.events, FILES)
    events.write()
    with tempfile.TemporaryDirectory() as folder:
        store = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        conf = {
            "spark.sql.warehouse.dir": folder,
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.streaming.stateStore.providerClass": store,
            "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
        }
        spark = session(**conf)
        bench = Bench(spark, events)
        rows = [
            measure(bench, query, given.rounds, lambda: jvm_cpu_seconds(spark))
            for query in QUERIES
            if query.name in given.queries
        ]
        spark.stop()
    notes = [
        f"{given.events} events in {FILES} micro-batches, 1000 a second of their own time",
        "RocksDB with changelog; results equal those of the batch query",
    ]
    whole = (given.queries, given.events) == (names, parser.get_default("events"))
    report("nexmark", "Nexmark", rows, notes, keep=whole)


if __name__ == "__main__":
    main()
