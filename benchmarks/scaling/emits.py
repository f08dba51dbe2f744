"""EMIT ON CHANGE as a stream by keys in its state, beside plain Update mode."""

from __future__ import annotations

import tempfile
from functools import partial
from typing import TYPE_CHECKING

from emit import CONF, EMIT, MAXIMUM, STATE, STORES
from feed import Feed

from scaling.meter import OURS, PLAIN, RUN, Meter, Sample, meter
from scaling.points import Point, Series

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql.streaming.query import StreamingQuery

STORE = STORES["changelog"]
SETTINGS = {**CONF, f"{STATE}.rocksdb.trackTotalNumberOfRows": "false"}
BLOCK = 5  # micro-batches of a sample
CHUNK = 1_000_000  # rows of a micro-batch that fills a state


class Maxima:
    """A stream of the maximum of each key, whose state has all keys from the start.

    In each later micro-batch the keys are random, and of ten rows one is a new maximum.
    """

    def __init__(self, of: Meter, way: str, keys: int) -> None:
        """Starts the stream and fills its state."""
        self._feed = Feed(of.spark)
        self._feed.frame.selectExpr(
            f"if(value < {keys}, value, pmod(xxhash64(value), {keys})) AS k",
            f"if(value >= {keys} AND pmod(xxhash64(value, 1), 10) = 0, value, 0) AS v",
        ).createOrReplaceTempView("events")
        sql = f"{MAXIMUM} {EMIT}" if way == OURS else MAXIMUM
        checkpoint = tempfile.mkdtemp(dir=of.folder)
        writer = of.spark.sql(sql).writeStream.format("noop").outputMode("update")
        self._of = of
        self.query: StreamingQuery = writer.option("checkpointLocation", checkpoint).start()
        for _ in range(0, keys, CHUNK):
            self._batch(min(keys, CHUNK))

    def sample(self, rows: int) -> Sample:
        """Returns what a block of micro-batches takes."""

        def block() -> None:
            for _ in range(BLOCK):
                self._batch(rows)

        return {RUN: self._of.timed(block)}

    def state_bytes(self) -> float:
        """Returns the size of the state, in memory and in files."""
        state = self.query.recentProgress[-1]["stateOperators"][0]
        return float(state["memoryUsedBytes"] + state["customMetrics"]["rocksdbSstFileSize"])

    def _batch(self, rows: int) -> None:
        self._feed.add(rows)
        self.query.processAllAvailable()


def by_keys(*, toy: bool) -> list[Point]:
    """Measures micro-batches of the same rows over more and more keys in the state."""
    series = Series(
        "EMIT ON CHANGE by keys in the state", "row", RUN, memory_of="state and its cache, a key"
    )
    rows = 100 if toy else 10_000
    polling = {"spark.sql.streaming.pollingDelay": "100ms"}  # of the stream that waits for its turn
    points = []
    with meter(**SETTINGS, **polling) as of:
        STORE.use(of.spark)
        sizes = (1_000, 10_000) if toy else (10_000, 100_000, 1_000_000, 10_000_000)
        for turn, keys in enumerate((sizes[0], *sizes)):
            streams = {way: Maxima(of, way, keys) for way in (OURS, PLAIN)}
            found = of.in_turns({way: partial(s.sample, rows) for way, s in streams.items()})
            memory = streams[OURS].state_bytes() / keys
            stop(of, (stream.query for stream in streams.values()))
            if turn:  # the first one warms up
                points.append(series.point(keys, found, BLOCK * rows, memory))
    return points


def stop(of: Meter, queries: Iterable[StreamingQuery]) -> None:
    """Stops queries, and unloads the state of all that have ended."""
    for query in queries:
        query.stop()
    of.spark._jvm.org.apache.spark.sql.execution.streaming.state.StateStore.stop()
