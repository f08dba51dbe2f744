"""The runs of EMIT ON CHANGE over random micro-batches, and what they must emit."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from properties.emit_forms import Form, Row
from properties.emit_queries import Query

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

COLUMNS = "k INT, j STRING, v INT, d DOUBLE, s STRING, ts TIMESTAMP"
START = datetime(2026, 1, 1)
DELAY, PACE = 5, 8  # seconds: delay of the watermark, time between batches


@dataclass(frozen=True)
class Batches:
    """The rows of the streams t and u, batch by batch; ts is seconds from the batch's time."""

    batches: tuple[tuple[list[Row], list[Row]], ...]

    def write(self, folder: Path, which: range) -> None:
        """Writes one file for each batch and stream; a stream reads files by their times."""
        for i in which:
            for stream, rows in zip("tu", self.batches[i], strict=True):
                path = folder / stream / f"{i}.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(_json(row, i * PACE) + "\n" for row in rows), "utf-8")
                os.utime(path, (i, i))


def _json(row: Row, seconds: int) -> str:
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    at = START + timedelta(seconds=seconds + row[-1])
    return json.dumps(dict(zip(names, [*row[:-1], at.isoformat()], strict=True)))


def random_batches(seed: str, count: int) -> Batches:
    """Returns random batches of so few values that results repeat; a batch may be empty."""
    random = Random(seed)
    columns: list[Sequence[Any]] = [
        [1, 2, 3, 4, None],
        ["a", "b", None],
        [0, 0, 1, 2, 3, None, None],
        [0.0, 0.0, -0.0, 0.5, 1.0, float("nan"), None, None],
        ["", "a", "b", "ä\0", None],
        range(-20, 12),
    ]

    def rows(few: int, many: int) -> list[Row]:
        count = random.choice([0, *[random.randint(few, many)] * 7])
        return [tuple(map(random.choice, columns)) for _ in range(count)]

    return Batches(tuple((rows(8, 12), rows(0, 4)) for _ in range(count)))


@dataclass(frozen=True)
class Store:
    """The state store of a run, and its settings."""

    provider: str
    changelog: bool = False
    state_format: int = 2
    checkpoint_format: int = 1

    @property
    def aggregates_first(self) -> bool:
        """Whether rows are aggregated before the shuffle, as Spark does: in half of the stores."""
        return self.state_format != self.checkpoint_format

    @property
    def conf(self) -> dict[str, Any]:
        package = "org.apache.spark.sql.execution.streaming.state"
        store = "spark.sql.streaming.stateStore"
        return {
            f"{store}.providerClass": f"{package}.{self.provider}StateStoreProvider",
            f"{store}.rocksdb.changelogCheckpointing.enabled": self.changelog,
            f"{store}.checkpointFormatVersion": self.checkpoint_format,
            "spark.sql.streaming.aggregation.stateFormatVersion": self.state_format,
            "spark.eddyline.emit.partialAggregation": "ALWAYS" if self.aggregates_first else "AUTO",
        }


HDFS = [Store("HDFSBacked", state_format=f) for f in (1, 2)]
ROCKSDB, CHANGELOG = (
    [Store("RocksDB", changelog, f, c) for f, c in formats]
    for changelog, formats in {
        False: [(1, 1), (2, 2), (1, 2), (2, 1)],
        True: [(2, 1), (1, 2), (2, 2), (1, 1)],
    }.items()
)


def some_stores(number: int) -> list[Store]:
    """Returns a store of each provider; over four numbers, all formats of state and checkpoints."""
    return [stores[number % len(stores)] for stores in (HDFS, ROCKSDB, CHANGELOG)]


@dataclass
class Run:
    """One query with its checkpoint and its results by the number of the micro-batch."""

    sql: str
    folder: Path
    store: Store
    mode: str | None = None
    rows: dict[int, list[Row]] = field(default_factory=dict)
    states: dict[int, dict[str, Any]] = field(default_factory=dict)

    def start(self, spark: SparkSession) -> Callable[[], None]:
        """Starts to process the files; returns a function that waits for the end."""
        for key, value in self.store.conf.items():
            spark.conf.set(key, value)
        writer = spark.sql(self.sql).writeStream.foreachBatch(self._collect)
        writer = writer.option("checkpointLocation", str(self.folder)).trigger(availableNow=True)
        query = (writer.outputMode(self.mode) if self.mode else writer).start()
        return lambda: self._wait(query)

    def _collect(self, batch: DataFrame, number: int) -> None:
        self.rows[number] = [tuple(map(canonical, row)) for row in batch.collect()]

    def _wait(self, query: StreamingQuery) -> None:
        query.awaitTermination()
        for progress in query.recentProgress:
            for first in progress["stateOperators"][:1]:  # the one nearest to the sink
                self.states[progress["batchId"]] = first

    @cached_property
    def dropped(self) -> dict[int, int]:
        name = "numIdempotentUpdatesDropped"
        return {i: state["customMetrics"][name] for i, state in self.states.items()}

    def of_state(self, name: str) -> dict[int, int]:
        return {i: state[name] for i, state in self.states.items()}


def run(spark: SparkSession, runs: Iterable[Run], data: Batches, folder: Path, stop: int) -> None:
    """Runs queries side by side over the same files; restarts them after `stop` batches, if any."""
    count = len(data.batches)
    for which in filter(None, [range(stop), range(stop, count)]):
        data.write(folder, which)
        read_as_streams(spark, folder)
        for wait in [each.start(spark) for each in runs]:
            wait()


def read_as_streams(spark: SparkSession, folder: Path) -> None:
    """Makes the views t and u of streams over the files, and w, which is t with a watermark."""
    for name in "tu":
        files = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1)
        frame = files.json(str(folder / name))
        frame.createOrReplaceTempView(name)
        if name == "t":
            frame.withWatermark("ts", f"{DELAY} seconds").createOrReplaceTempView("w")


def read_files(spark: SparkSession, folder: Path, count: int) -> None:
    """Makes the views t and u of the first files."""
    for name in "tu":
        files = [str(folder / name / f"{i}.json") for i in range(count)]
        spark.read.schema(COLUMNS).json(files).createOrReplaceTempView(name)


def canonical(value: Any) -> Any:
    """Returns the value with maps without an order and rows as tuples."""
    if isinstance(value, dict):
        return tuple(sorted((canonical(k), canonical(v)) for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(map(canonical, value))
    return value


def changes(
    form: Form | Query, plain: dict[int, list[Row]], touched: dict[int, list[Row]] | None
) -> tuple[dict[int, list[str]], dict[int, int]]:
    """Returns what EMIT ON CHANGE must emit of plain Update mode's rows, and how many it drops.

    Rows are compared by what they print, in which 0.0 differs from -0.0 and NaN equals NaN.

    Args:
        plain: the rows of each batch.
        touched: the rows of the query without HAVING: a key that is there but not in `plain` no
            longer has a result. None for rows that are compared in the order of arrival.
    """
    previous: dict[str, str] = {}
    emitted, dropped = {}, {}

    def key_of(row: Row) -> str:
        return str(row[: form.keys]).replace("-0.0", "0.0")  # one key

    for number, rows in plain.items():
        if touched is not None:
            keys = {key_of(row) for row in rows}
            assert len(keys) == len(rows)
            for key in {key_of(row) for row in touched[number]} - keys:
                previous.pop(key, None)
        changed = []
        for row in rows:
            key, compared = key_of(row), str(row[form.compared or slice(None)])
            if previous.get(key) != compared:
                changed.append(row)
            previous[key] = compared
        emitted[number] = printed(filter(None, map(form.shown, changed)))
        dropped[number] = len(rows) - len(changed)
    return emitted, dropped


def printed(rows: Iterable[Row]) -> list[str]:
    return sorted(map(str, rows))
