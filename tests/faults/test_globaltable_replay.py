"""Micro-batches that run again join the versions of their first attempt."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from own_jvm import settings_of
from streaming.globaltable_harness import (
    FAULTY,
    Lookups,
    arrive,
    create,
    drivers,
    folder_of,
    jvm,
    new_driver,
    overwrite,
    shown,
    snapshots,
    versions,
)
from waiting import PROCESS_HANGS, eventually

from .child import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

# where a micro-batch dies, and what it joins when it runs again: before the versions are recorded,
# nothing has run, so it joins what is current then
CURRENT = "current"
POINTS = [
    (("offset log", 2), CURRENT),
    (("in version record", 1), CURRENT),
    (("in version record", 2), "v2"),
    (("in sink", 1), "v2"),
    (("before commit log", 1), "v2"),
]


@pytest.fixture(autouse=True)
def mended(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.streaming.checkpointFileManagerClass", FAULTY)
    yield
    fault_point(spark).disarm()
    drivers(spark).restart(spark._jsparkSession, {})


def fault_point(spark: SparkSession) -> Any:
    return jvm(spark).io.eddyline.spark.faults.FaultPoint


def refresh(spark: SparkSession, value: str) -> None:
    overwrite(spark, value)
    spark.sql("REFRESH GLOBAL TABLE g")


def die(stream: Lookups, place: str, at: int = 1) -> None:
    """Writes an event and lets its micro-batch die at the place."""
    point = fault_point(stream.spark)
    stream.sink = lambda _batch, _number: point.reach("in sink")
    point.arm(place, at, False)
    assert f"injected fault: {place}" in str(stream.run(1))
    assert not point.disarm()


def dies_at(spark: SparkSession, folder: Path, place: str, at: int = 1) -> Lookups:
    """Returns a stream whose first micro-batch has joined v1, and whose second died with v2."""
    create(spark)
    stream = Lookups(spark, folder / "checkpoint")
    assert stream.run(1) is None
    refresh(spark, "v2")
    die(stream, place, at)
    return stream


@pytest.mark.parametrize(("point", "joined"), POINTS)
@pytest.mark.parametrize("moved", ["on", "away"])
def test_a_replay_joins_what_the_first_attempt_joined(
    spark: SparkSession, tmp_path: Path, point: tuple[str, int], joined: str, moved: str
) -> None:
    stream = dies_at(spark, tmp_path, *point)
    if moved == "on":
        refresh(spark, "v3")
    else:
        shutil.rmtree(folder_of(spark, "base"))
        new_driver(spark)
    arrive(spark, 2)
    assert stream.run() is None
    current = "v3" if moved == "on" else "v2"
    joined = current if joined == CURRENT else joined
    replayed, *_, fresh = [attempt for attempt in stream.attempts if attempt[0] > 0][-2:]
    assert replayed == (1, [(1, joined)])
    assert fresh == (2, [(2, current)])
    assert all(rows == [(1, joined)] for number, rows in stream.attempts if number == 1)


def test_a_replay_may_die_as_well(spark: SparkSession, tmp_path: Path) -> None:
    stream = dies_at(spark, tmp_path, "in sink")
    for number in range(3, 6):
        refresh(spark, f"v{number}")
        die(stream, "before commit log")
    assert stream.run() is None
    assert {(number, str(rows)) for number, rows in stream.attempts if number == 1} == {
        (1, "[(1, 'v2')]")
    }
    assert stream.run(2) is None
    assert stream.last[1][-1] == (2, "v5")


def test_a_stopped_query_is_no_replay_but_its_last_batch_may_be(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The last micro-batch runs again if it has no entry in the commit log."""
    create(spark)
    stream = Lookups(spark, tmp_path / "checkpoint")
    for number in range(3):
        assert stream.run(number) is None
        refresh(spark, f"v{number + 2}")
    for path in (stream.folder / "commits").glob("*2*"):
        path.unlink()
    assert stream.run(1) is None
    assert stream.attempts == [
        (0, [(0, "v1")]),
        (1, [(1, "v2")]),
        (2, [(2, "v3")]),
        (2, [(2, "v3")]),
        (3, [(1, "v4")]),
    ]
    assert sorted(stream.records()) == [0, 1, 2, 3]


def test_records_of_micro_batches_that_never_were(spark: SparkSession, tmp_path: Path) -> None:
    """The offsets were not written, so another micro-batch has the number now."""
    create(spark)
    stream = Lookups(spark, tmp_path / "checkpoint")
    assert stream.run(1) is None
    records = stream.folder / "eddyline" / "global"
    shutil.copy(records / "0", records / "2")
    refresh(spark, "v2")
    assert stream.run(1) is None
    die(stream, "in sink")
    refresh(spark, "v3")
    assert stream.run() is None
    assert [rows for number, rows in stream.attempts if number == 2] == [[(1, "v2")]] * 2


def test_asynchronous_progress(spark: SparkSession, tmp_path: Path) -> None:
    """Micro-batches whose offsets were not written run again as one, which has one version."""
    create(spark)
    stream = Lookups(spark, tmp_path / "checkpoint")
    stream.options = {
        "asyncProgressTrackingEnabled": "true",
        "asyncProgressTrackingCheckpointIntervalMs": "3600000",
        "_asyncProgressTrackingOverrideSinkSupportCheck": "true",
    }
    stream.start()
    for number in range(1, 4):
        assert stream.see(1) == [(1, f"v{number}")]
        refresh(spark, f"v{number + 1}")
    stream.stop()
    assert sorted(stream.records()) == [0, 1, 2]
    before = len(stream.attempts)
    stream.start()
    assert stream.query is not None
    stream.query.processAllAvailable()
    assert stream.see(2) == [(2, "v4")]
    stream.stop()
    again = [row for _, rows in stream.attempts[before:-1] for row in rows]
    assert again == [(1, "v4")] * 2, "the first one was on record"


def lose(spark: SparkSession, number: int) -> None:
    shutil.rmtree(snapshots(spark) / f"v={versions(spark)[number - 1]}")


def test_a_version_that_is_gone(spark: SparkSession, tmp_path: Path) -> None:
    stream = dies_at(spark, tmp_path, "in sink")
    refresh(spark, "v3")
    name = versions(spark)[1]
    lose(spark, 2)
    death = str(stream.run())
    assert "EDDYLINE_GLOBAL_TABLE.VERSION_GONE" in death
    assert name in death
    spark.conf.set("spark.eddyline.globalTable.onMissingVersion", "LATEST")
    assert stream.run() is None
    assert stream.last == (1, [(1, "v3")])
    assert stream.records()[1] == {"g": shown(spark).version}


def test_a_catalog_with_versions(spark: SparkSession, tmp_path: Path) -> None:
    """A replay fails while the catalog is down, or if the catalog has lost the version."""
    catalog = jvm(spark).io.eddyline.spark.VersionedCatalog
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    spark.sql("CREATE GLOBAL TABLE lake.replay.g (k INT, v STRING, PRIMARY KEY (k)) REFRESH MANUAL")
    sql = "SELECT e.k, g.v FROM STREAM events AS e LEFT JOIN lake.replay.g AS g ON e.k = g.k"
    stream = Lookups(spark, tmp_path / "checkpoint", sql)
    spark.sql("INSERT INTO lake.replay.g VALUES (1, 'v1')")
    spark.sql("REFRESH GLOBAL TABLE lake.replay.g")
    die(stream, "in sink")
    spark.sql("INSERT OVERWRITE lake.replay.g VALUES (1, 'v2')")
    spark.sql("REFRESH GLOBAL TABLE lake.replay.g")
    stream.sink = lambda _batch, _number: None
    catalog.breakDown()
    death = str(stream.run())
    catalog.mend()
    assert "EDDYLINE_GLOBAL_TABLE.NOT_LOADED" in death
    assert "the catalog is down" in death
    assert stream.run() is None
    assert stream.attempts == [(0, [(1, "v1")])] * 2
    (stream.folder / "commits" / "0").unlink()
    catalog.loseVersion("replay", "g", 1)
    assert "EDDYLINE_GLOBAL_TABLE.VERSION_GONE" in str(stream.run())


def test_a_replay_may_be_stale(spark: SparkSession, tmp_path: Path) -> None:
    create(spark, "REFRESH MANUAL MAX STALENESS 1 HOUR")
    stream = Lookups(spark, tmp_path / "checkpoint")
    die(stream, "in sink")
    shutil.rmtree(folder_of(spark, "base"))
    new_driver(spark)
    assert stream.run() is None
    assert stream.attempts == [(0, [(1, "v1")])] * 2
    assert shown(spark).status == "STALE", "this driver has never confirmed it"
    assert "EDDYLINE_GLOBAL_TABLE.STALE" in str(stream.run(2)), "what is new is not exempt"


def test_the_refresher_runs_after_a_replay(spark: SparkSession, tmp_path: Path) -> None:
    """The refresher runs although the replay, and no query, has loaded the table."""
    create(spark, "REFRESH EVERY 100 MILLISECONDS")
    stream = Lookups(spark, tmp_path / "checkpoint")
    die(stream, "in sink")
    new_driver(spark)
    assert stream.run() is None
    overwrite(spark, "v2")
    stream.sink = lambda _batch, _number: None
    stream.start()
    eventually(lambda: stream.see(1) == [(1, "v2")])
    stream.stop()


CHILD = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
from streaming.globaltable_harness import Lookups
plan = json.loads(sys.argv[1])
spark = SparkSession.builder.config(map=plan["conf"]).enableHiveSupport().getOrCreate()
if not spark.catalog.tableExists("g"):
    spark.sql(f"CREATE TABLE events (k INT) USING parquet LOCATION '{plan['folder']}/events'")
    spark.sql(f"CREATE TABLE base (k INT, v STRING) USING parquet LOCATION '{plan['folder']}/base'")
    spark.sql("CREATE GLOBAL TABLE g PRIMARY KEY (k) AS SELECT k, v FROM base")
point = spark._jvm.io.eddyline.spark.faults.FaultPoint
stream = Lookups(spark, Path(plan["folder"]) / "checkpoint")
def sink(batch, number):
    print(json.dumps(stream.last), flush=True)
    point.reach("in sink")
stream.sink = sink
if plan["place"]:
    point.arm(plan["place"], plan["at"], True)
print(json.dumps(stream.run()), flush=True)
spark.stop()
"""


class Life:
    """A series of JVMs over one catalog, one checkpoint and one source."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        settings = settings_of(spark)
        self.conf = {
            **settings,
            "spark.sql.catalogImplementation": "hive",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.hadoop.javax.jdo.option.ConnectionURL": (
                f"jdbc:derby:;databaseName={folder}/metastore;create=true"
            ),
            "spark.driver.extraJavaOptions": (
                f"{settings['spark.driver.extraJavaOptions']} -Dderby.system.home={folder}"
            ),
            "spark.sql.streaming.checkpointFileManagerClass": FAULTY,
        }
        for name in ("events", "base"):
            (folder / name).mkdir()

    def source(self, value: str) -> None:
        frame = self.spark.sql(f"SELECT 1 AS k, '{value}' AS v")
        frame.write.mode("overwrite").parquet(str(self.folder / "base"))

    def run(self, place: str = "", at: int = 1) -> list[Any]:
        """Runs one JVM, which may be halted; returns (number, rows) of each attempt and the end."""
        event = self.spark.sql("SELECT 1 AS k")
        event.write.mode("append").parquet(str(self.folder / "events"))
        plan = {"conf": self.conf, "folder": str(self.folder), "place": place, "at": at}
        done = subprocess.run(
            [sys.executable, "-c", CHILD, json.dumps(plan)],
            cwd=TESTS,
            capture_output=True,
            text=True,
            timeout=PROCESS_HANGS,
            check=False,
        )
        if place:
            assert f"halted: {place}" in done.stderr, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_halt_in_the_sink_and_a_source_that_is_gone(spark: SparkSession, tmp_path: Path) -> None:
    life = Life(spark, tmp_path)
    life.source("v1")
    assert life.run("in sink") == [[0, [[1, "v1"]]]]
    shutil.rmtree(tmp_path / "base")
    assert life.run() == [[0, [[1, "v1"]]], [1, [[1, "v1"]]], None]


@pytest.mark.slow
@pytest.mark.parametrize(("point", "joined"), POINTS)
def test_a_halt_at_each_point(
    spark: SparkSession, tmp_path: Path, point: tuple[str, int], joined: str
) -> None:
    life = Life(spark, tmp_path)
    life.source("v1")
    assert life.run() == [[0, [[1, "v1"]]], None]
    life.source("v2")
    seen = life.run(*point)
    began = seen != []
    life.source("v3")
    *replayed, fresh, end = life.run()
    assert end is None
    assert replayed == [[1, [[1, "v3" if joined == CURRENT else joined]]]]
    assert seen == (replayed if began else [])
    assert fresh == [2, [[1, "v3"]]]
