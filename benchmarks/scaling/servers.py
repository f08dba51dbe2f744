"""Streaming queries on one driver by their number, beside plain Update mode and BROADCAST."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from emit import EMIT
from measure import Figure

from scaling.emits import SETTINGS, STORE, stop
from scaling.meter import OURS, PLAIN, RUN, Meter, Sample, meter
from scaling.points import Point, Series

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

REST = "rest"
SECONDS = 20  # of rest, in which the global table looks at its source twice
TRIGGER = "1 second"
NAMES = 10_000  # rows of the table
ROWS = 1_000  # of a micro-batch
SCHEMA = "k BIGINT, v BIGINT"
GREATEST = "d.name, max(f.v) AS m FROM facts AS f JOIN {} AS d ON f.k = d.k GROUP BY d.name"
QUERIES = {
    OURS: f"SELECT {GREATEST.format('global_names')} {EMIT}",
    PLAIN: f"SELECT /*+ BROADCAST(d) */ {GREATEST.format('names')}",
}


class Server:
    """Queries that read the files of one folder, each of which is a micro-batch.

    They look at the folder each second.
    """

    def __init__(self, of: Meter, way: str, number: int) -> None:
        """Starts the queries with a first micro-batch."""
        self._of = of
        self._folder = Path(tempfile.mkdtemp(dir=of.folder))
        self._files = 0
        self._source.mkdir()
        spark = of.spark
        facts = spark.readStream.schema(SCHEMA).parquet(str(self._source))
        facts.createOrReplaceTempView("facts")
        self._publish(self._write())
        self._queries: dict[Path, StreamingQuery] = {}
        for i in range(number):
            checkpoint = self._folder / f"checkpoint-{i}"
            writer = spark.sql(QUERIES[way]).writeStream.format("noop").outputMode("update")
            writer = writer.option("checkpointLocation", str(checkpoint))
            self._queries[checkpoint] = writer.trigger(processingTime=TRIGGER).start()
        self._wait()

    def stop(self) -> None:
        """Stops the queries."""
        stop(self._of, self._queries.values())

    def sample(self) -> Sample:
        """Returns what a micro-batch of each query takes."""
        written = self._write()

        def batch() -> None:
            self._publish(written)
            self._wait()

        return {RUN: self._of.timed(batch)}

    def at_rest(self, seconds: float) -> Sample:
        """Returns what a second without rows takes, of so many."""
        taken = self._of.timed(lambda: time.sleep(seconds))
        return {REST: Figure(round(taken.cpu / seconds, 4), 1.0)}

    @property
    def _source(self) -> Path:
        return self._folder / "source"

    def _write(self) -> Path:
        """Returns a file that no query sees yet."""
        frame = self._of.spark.range(ROWS).selectExpr(
            f"pmod(xxhash64(id, {self._files}), {NAMES}) AS k", f"id + {self._files} AS v"
        )
        away = self._folder / f"away-{self._files}"
        frame.coalesce(1).write.parquet(str(away))
        return next(away.glob("*.parquet"))

    def _publish(self, written: Path) -> None:
        written.rename(self._source / f"{self._files}.parquet")
        self._files += 1

    def _wait(self) -> None:
        """Waits until each query has committed the last file.

        Raises:
            StreamingQueryException: if a query has failed.
        """
        for checkpoint, query in self._queries.items():
            while not (checkpoint / f"commits/{self._files - 1}").exists():
                if error := query.exception():
                    raise error
                time.sleep(0.05)


def by_queries(*, toy: bool) -> list[Point]:
    """Measures more and more queries, each with a lookup in one table and with EMIT ON CHANGE."""
    batch = Series("queries on one driver, a micro-batch of each", "query", RUN)
    rest = Series("queries on one driver, a second at rest", "query", REST, "heap of the driver")
    points = []
    with meter(**SETTINGS) as of:
        STORE.use(of.spark)
        of.spark.sql(
            "CREATE TABLE names USING parquet AS "
            f"SELECT id AS k, concat('name-', id) AS name FROM range({NAMES})"
        )
        of.spark.sql("CREATE GLOBAL TABLE global_names PRIMARY KEY (k) AS SELECT * FROM names")
        sizes = (1, 3) if toy else (1, 10, 100)
        for turn, number in enumerate((1, *sizes)):
            found: dict[str, Sample] = {}
            heap: dict[str, float] = {}
            for way in (OURS, PLAIN):
                server = Server(of, way, number)
                found |= of.in_turns({way: server.sample})
                found[way] |= server.at_rest(1 if toy else SECONDS)
                heap[way] = of.heap()
                server.stop()
            if turn:  # the first one warms up
                points.append(batch.point(number, found, number))
                points.append(rest.point(number, found, number, heap[OURS]))
    return points
