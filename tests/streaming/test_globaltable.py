"""Versions of global tables: those that a micro-batch sees, that are recorded, that refresh."""

from __future__ import annotations

import json
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import StreamingQueryException

from waiting import eventually

from .globaltable_harness import (
    LOOKUP,
    SOON,
    Lookups,
    create,
    overwrite,
    shown,
    snapshots,
    versions,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


def test_a_stream_sees_the_old_version_until_a_refresh(
    spark: SparkSession, stream: Lookups
) -> None:
    create(spark, "REFRESH MANUAL")
    before = shown(spark)
    stream.start()
    assert stream.see(1, 9) == [(1, "v1"), (9, None)]
    overwrite(spark, "v2")
    assert [stream.see(1) for _ in range(3)] == [[(1, "v1")]] * 3, "no refresh"
    after = shown(spark)
    assert (after.version, after.status) == (before.version, "OK")
    assert after.age_ms > before.age_ms, "nothing has confirmed it"
    spark.sql("REFRESH GLOBAL TABLE g")
    assert stream.see(1) == [(1, "v2")]
    overwrite(spark, "v3", keys=10)
    spark.sql("REFRESH GLOBAL TABLE g")
    assert stream.see(1, 9) == [(1, "v3"), (9, "v3")]


def test_a_refresh_alone_emits_nothing(spark: SparkSession, stream: Lookups) -> None:
    create(spark, SOON)
    stream.sql = f"SELECT v, count(*) AS n FROM ({LOOKUP}) GROUP BY v EMIT ON CHANGE"
    query = stream.start()
    assert stream.see(1, 2) == [("v1", 2)]
    overwrite(spark, "v2")
    eventually(lambda: shown(spark).version.startswith("2-"))
    query.processAllAvailable()
    assert len(stream.attempts) == 1
    assert stream.see(1) == [("v2", 1)], "the group of the old value stays as it was"


TWICE = """
    SELECT e.k, a.v AS by_key, b.v AS by_other, c.n
    FROM STREAM events AS e
    JOIN g AS a ON e.k = a.k
    JOIN g AS b ON e.k = b.k + 1 AND b.v IS NOT NULL
    JOIN (SELECT max(v) AS n FROM g) AS c ON true
"""


class Mixing:
    """A stream with several lookups of one table, whose sink reads it once more."""

    def __init__(self, spark: SparkSession, stream: Lookups) -> None:
        self.other = spark.newSession()
        self.mixed: list[Any] = []
        self.seen: set[str] = set()
        stream.sql, stream.sink = TWICE, self.sink

    def sink(self, batch: DataFrame, number: int) -> None:
        values = {value for row in batch.collect() for value in row[1:]}
        nested = "SELECT DISTINCT a.v FROM g AS a JOIN range(5) AS r ON r.id = a.k"
        for session in (batch.sparkSession, self.other):
            values |= {row.v for row in session.sql(nested).collect()}
            values |= {row.v for row in session.sql("SELECT v FROM g").collect()}
        if len(values) != 1:
            self.mixed.append((number, values))
        self.seen |= values


class Overwriting(threading.Thread):
    """A thread that overwrites the source, every other time while it is being copied."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__()
        self.spark = spark
        self.ended = threading.Event()

    def run(self) -> None:
        number = 2
        while not self.ended.is_set():
            before = shown(self.spark).version
            for _ in range(1 + number % 2):
                overwrite(self.spark, f"v{number:03}")
                number += 1
            eventually(lambda old=before: shown(self.spark).version != old or self.ended.is_set())

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.join()


@pytest.mark.parametrize("count", [4, pytest.param(50, marks=pytest.mark.slow)])
def test_no_micro_batch_mixes_versions(spark: SparkSession, stream: Lookups, count: int) -> None:
    create(spark, "REFRESH EVERY 50 MILLISECONDS")
    mixing = Mixing(spark, stream)
    with Overwriting(spark.newSession()):
        stream.start()
        while len(mixing.seen) < count:
            stream.see(1, 2)
    assert mixing.mixed == []


def test_a_thread_of_an_earlier_batch_agrees_with_the_current_one(
    spark: SparkSession, stream: Lookups
) -> None:
    """A thread of a pool has the local properties of the micro-batch that has made it."""
    create(spark, "REFRESH MANUAL")
    key = "streaming.sql.batchId"
    seen: list[tuple[str, ...]] = []

    def read(batch: DataFrame, number: str) -> str:
        batch.sparkSession.sparkContext.setLocalProperty(key, number)
        (row,) = batch.sparkSession.sql("SELECT DISTINCT v FROM g").collect()
        return str(row.v)

    def sink(batch: DataFrame, number: int) -> None:
        overwrite(spark, f"w{number}")
        spark.newSession().sql("REFRESH GLOBAL TABLE g")
        seen.append(tuple(read(batch, number) for number in ("0", str(number))))

    stream.sink = sink
    stream.start()
    joined = [stream.see(1) for _ in range(3)]
    assert joined == [[(1, value)] for value in ("v1", "w0", "w1")]
    assert seen == [(value, value) for value in ("v1", "w0", "w1")]
    records = {file.name: json.loads(file.read_text()) for file in record_files(stream)}
    versions = [next(iter(records[name].values())) for name in ("0", "1", "2")]
    assert [version.split("-")[0] for version in versions] == ["1", "2", "3"]


def record_files(stream: Lookups) -> list[Path]:
    return [file for file in (stream.folder / "eddyline/global").iterdir() if file.name.isdigit()]


def test_queries_in_foreach_batch_agree_with_the_batch(
    spark: SparkSession, stream: Lookups
) -> None:
    create(spark, "REFRESH MANUAL")
    mixing = Mixing(spark, stream)

    def refreshed(batch: DataFrame, number: int) -> None:
        overwrite(spark, f"w{number}")
        worker = threading.Thread(target=lambda: spark.sql("REFRESH GLOBAL TABLE g"))
        worker.start()
        worker.join()
        assert shown(spark).version.startswith(f"{number + 2}-"), "the driver has gone on"
        mixing.sink(batch, number)

    stream.sink = refreshed
    stream.start()
    assert stream.see(1) == [(1, "v1", "v1", "v1")]
    assert stream.see(1) == [(1, "w0", "w0", "w0")]
    assert mixing.mixed == []


def test_each_micro_batch_is_on_record(spark: SparkSession, stream: Lookups) -> None:
    create(spark, "REFRESH MANUAL")
    stream.start()
    stream.see(1)
    stream.see(1)
    spark.sql("REFRESH GLOBAL TABLE g")
    stream.see(1)
    overwrite(spark, "v2")
    spark.sql("REFRESH GLOBAL TABLE g")
    stream.see(1)
    stream.see(1)
    first, second = versions(spark)
    recorded = [first] * 3 + [second] * 2
    assert stream.records() == {batch: {"g": name} for batch, name in enumerate(recorded)}


def test_several_tables_share_a_record(spark: SparkSession, stream: Lookups) -> None:
    create(spark, "REFRESH MANUAL")
    spark.sql("CREATE GLOBAL TABLE h REFRESH MANUAL AS SELECT k, v AS w FROM base")
    stream.sql = f"SELECT s.*, h.w FROM ({LOOKUP}) AS s JOIN h ON h.k = s.k"
    stream.start()
    assert stream.see(1) == [(1, "v1", "v1")]
    overwrite(spark, "v2")
    spark.sql("REFRESH GLOBAL TABLE h")
    assert stream.see(1) == [(1, "v1", "v2")]
    (g,), (h1, h2) = versions(spark, "g"), versions(spark, "h")
    assert stream.records() == {0: {"g": g, "h": h1}, 1: {"g": g, "h": h2}}


def test_records_are_pruned_with_the_offset_log(spark: SparkSession, stream: Lookups) -> None:
    spark.conf.set("spark.sql.streaming.minBatchesToRetain", "2")
    create(spark, "REFRESH MANUAL")
    stream.start()
    # Spark deletes offsets on another thread, and every tenth micro-batch the records before them
    eventually(lambda: stream.see(1) == [(1, "v1")] and min(stream.records()) > 0)
    stream.stop()
    offsets = [int(path.name) for path in (stream.folder / "offsets").glob("[0-9]*")]
    assert min(stream.records()) <= min(offsets), "the oldest micro-batch has its record"


def test_a_restart_goes_on_with_the_current_version(spark: SparkSession, stream: Lookups) -> None:
    """Only a micro-batch that an earlier run began joins the versions of that run."""
    create(spark, "REFRESH MANUAL")
    assert stream.run(1) is None
    overwrite(spark, "v2")
    spark.sql("REFRESH GLOBAL TABLE g")
    (old, new) = versions(spark)
    shutil.rmtree(snapshots(spark) / f"v={old}")
    assert stream.run(1) is None
    assert stream.last == (1, [(1, "v2")])
    assert stream.records()[1] == {"g": new}


def test_a_continuous_query_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    create(spark)
    spark.readStream.format("rate").load().createOrReplaceTempView("rates")
    frame = spark.sql("SELECT value, (SELECT max(v) FROM g) AS v FROM rates")
    query = (
        frame.writeStream.format("console")
        .option("checkpointLocation", str(tmp_path))
        .trigger(continuous="1 second")
        .start()
    )
    with pytest.raises(StreamingQueryException, match=r"EDDYLINE_GLOBAL_TABLE.CONTINUOUS_TRIGGER"):
        query.awaitTermination()


def test_a_batch_query_has_one_version(spark: SparkSession) -> None:
    """A batch query has one version, and an executed DataFrame keeps its own."""
    create(spark, SOON)
    frame = spark.sql("SELECT r.id, g.v FROM range(3) AS r JOIN g ON r.id = g.k")
    before = frame.collect()
    overwrite(spark, "v2")
    eventually(lambda: shown(spark).version.startswith("2-"))
    assert frame.collect() == before
    again = spark.sql("SELECT r.id, g.v FROM range(3) AS r JOIN g ON r.id = g.k")
    assert {row.v for row in again.collect()} == {"v2"}
