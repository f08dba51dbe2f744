"""What a stream has written after a failure: once into Delta, once for each key into Iceberg."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from checkpoints import forget_last_commit
from own_jvm import settings_of
from properties.emit_changes import KEY, RESULT, documents, maintain
from streaming.streamingquery_harness import NOW, finish, status
from table_formats.conftest import Lake
from tiers import ROOT, seed
from waiting import PROCESS_HANGS, eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEATHS = 2
# a key leaves the result and comes again with every second micro-batch
HAVING = "count(*) % 8 <> 0"
FILES = 8
KEYS = 5


@pytest.mark.parametrize("sink", ["INSERT INTO counts", "UPSERT INTO counts KEY (k)"])
def test_a_micro_batch_that_is_written_again(
    spark: SparkSession, lake: Lake, tmp_path: Path, sink: str
) -> None:
    spark.sql(f"CREATE TABLE events (k INT) USING {lake.provider}")
    spark.sql(f"CREATE TABLE counts (k INT, n BIGINT) USING {lake.provider}")
    spark.sql("INSERT INTO events VALUES (1), (1), (2)")
    query = "SELECT k, count(*) AS n FROM STREAM events GROUP BY k EMIT ON CHANGE"
    finish(spark, f"START STREAMING QUERY q {NOW} AS {sink} {query}")
    forget_last_commit(tmp_path / "checkpoints/q")
    before = len(lake.versions(spark, "counts"))
    finish(spark, "START STREAMING QUERY q")
    once = [(1, 2), (2, 1)]
    again = lake.provider == "iceberg" and sink.startswith("INSERT")
    counts = sorted(map(tuple, spark.table("counts").collect()))
    assert counts == sorted(once * 2 if again else once)
    if lake.provider == "delta":
        assert len(lake.versions(spark, "counts")) == before
    spark.sql("INSERT INTO events VALUES (2)")
    finish(spark, "START STREAMING QUERY q")
    assert (2, 2) in set(map(tuple, spark.table("counts").collect()))


def test_tables_that_random_queries_maintain(
    spark: SparkSession, lake: Lake, tmp_path: Path
) -> None:
    for number in range(3):
        spark.sql(f"CREATE TABLE t{number} (g0 INT, value STRING) USING {lake.provider}")

    def statement(number: int, query: str) -> str:
        rows = f"SELECT g0, {RESULT} AS value, _change_type FROM ({query})"
        return f"UPSERT INTO t{number} KEY (g0) {rows}"

    for number, expected in enumerate(maintain(spark, tmp_path, statement)):
        rows = spark.sql(f"SELECT {KEY}, value FROM t{number}").collect()
        assert documents(rows) == expected


def test_drivers_that_are_killed(spark: SparkSession, lake: Lake, tmp_path: Path) -> None:
    """Each micro-batch reads one file; a driver is killed in a random one, at a random place.

    The places: it has been planned, it is in the table, the checkpoint says so.
    """
    draw = random.Random(f"{seed()} {lake.provider}")
    for file in range(FILES):
        rows = spark.range(20).selectExpr(f"CAST((id * {file + 1}) % {KEYS} AS INT) AS k")
        rows.coalesce(1).write.mode("append").parquet(str(tmp_path / "events"))
    settings = {**settings_of(spark), "spark.driver.memory": "1g"}
    if lake.provider == "iceberg":
        settings["spark.sql.catalog.ice.warehouse"] = str(tmp_path / "ice")
    plan = {
        "settings": settings,
        "folder": str(tmp_path),
        "format": lake.provider,
        "having": HAVING,
    }
    places = [
        (tmp_path / "checkpoint" / "offsets", "[0-9]*"),
        (tmp_path / "counts" / "_delta_log", "[0-9]*.json")
        if lake.provider == "delta"
        else (tmp_path / "ice/lake/counts/metadata", "*.metadata.json"),
        (tmp_path / "checkpoint" / "commits", "[0-9]*"),
    ]
    for folder, files in draw.sample(places, DEATHS):
        goal = min(len(list(folder.glob(files))) + draw.randint(1, 3), FILES - 1)
        kill_after(start({**plan, "ends": False}), folder, files, goal)
    last = start({**plan, "ends": True})
    assert last.wait(PROCESS_HANGS) == 0
    result = json.loads((tmp_path / "result.json").read_text())
    spark.read.parquet(str(tmp_path / "events")).createOrReplaceTempView("read")
    plain = spark.sql(f"SELECT k, count(*) FROM read GROUP BY k HAVING {HAVING}").collect()
    assert 0 < len(plain) < KEYS
    assert sorted(map(tuple, result["upserted"])) == sorted(map(tuple, plain))
    if lake.provider == "delta":
        # each write is a version, besides the one that created the table
        assert result["versions"] == result["micro_batches"] + 1


def test_a_table_that_changes_and_one_that_is_another(spark: SparkSession, lake: Lake) -> None:
    create = f"CREATE TABLE counts (k INT, n BIGINT) USING {lake.provider}"
    spark.sql(f"CREATE TABLE events (k INT) USING {lake.provider}")
    spark.sql(create)
    query = "SELECT k, count(*) AS n FROM STREAM events GROUP BY k EMIT ON CHANGE"
    spark.sql(f"START STREAMING QUERY q AS UPSERT INTO counts KEY (k) {query}")
    spark.sql("INSERT INTO events VALUES (1)")
    emitted(spark, 1)
    spark.sql("ALTER TABLE counts ADD COLUMNS (more INT)")
    spark.sql("INSERT INTO counts VALUES (9, 9, 9)")
    spark.sql("INSERT INTO events VALUES (1)")
    emitted(spark, 2)
    counts = sorted(map(tuple, spark.sql("SELECT * FROM counts").collect()))
    assert counts == [(1, 2, None), (9, 9, 9)]
    spark.sql("DROP TABLE counts")
    spark.sql(create)
    spark.sql("INSERT INTO events VALUES (1)")
    eventually(lambda: status(spark) == "FAILED")
    with pytest.raises(AnalysisException, match="TARGET_REPLACED"):
        spark.sql("AWAIT STREAMING QUERY q")
    assert spark.table("counts").count() == 0


def emitted(spark: SparkSession, rows: int) -> None:
    """Waits until a query has emitted so many rows and committed their micro-batches."""

    def so_far() -> int:
        progress = spark.sql("SHOW STREAMING QUERY PROGRESS q").collect()
        return sum(batch.emitted or 0 for batch in progress)

    eventually(lambda: so_far() >= rows)


def kill_after(driver: subprocess.Popen[bytes], folder: Path, files: str, goal: int) -> None:
    """Kills a driver and its JVM once a folder has so many files."""
    eventually(lambda: driver.poll() is not None or len(list(folder.glob(files))) >= goal)
    assert driver.poll() is None, "the driver ended by itself"
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait(PROCESS_HANGS)


def start(plan: dict[str, Any]) -> subprocess.Popen[bytes]:
    """Starts a driver in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "table_formats.child", json.dumps(plan)],
        cwd=ROOT / "tests",
        start_new_session=True,
    )
