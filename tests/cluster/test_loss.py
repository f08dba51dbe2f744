"""Executors and workers that are killed: results are those of plain Spark, nothing is lost."""

from __future__ import annotations

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from waiting import eventually

from .standalone import Cluster, executors

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

ROWS = 400
# each row takes its time, so that tasks run when their executor dies
SLOW = "java_method('java.lang.Thread', 'sleep', 20L) IS NOT NULL"
QUERIES = {
    "lookup": (
        f"SELECT name, count(*) AS n FROM facts JOIN names USING (k) WHERE {SLOW} GROUP BY name",
        "SELECT concat('n', id % 7) AS name, count(*) AS n FROM range(400) "
        "WHERE id % 7 < 5 GROUP BY 1",
    ),
    "claim": (
        f"SELECT k, count(*) AS n FROM facts ASSUME PARTITIONED BY (k) WHERE {SLOW} GROUP BY k",
        "SELECT id % 7 AS k, count(*) AS n FROM range(400) GROUP BY 1",
    ),
    "checked claim": (
        "SELECT v, count(*) AS n FROM numbered ASSUME PARTITIONED BY (v) ENFORCED "
        f"WHERE {SLOW} GROUP BY v",
        "SELECT id AS v, 1 AS n FROM range(400)",
    ),
    "cogroup": (
        f"COGROUP (SELECT * FROM facts WHERE {SLOW}) AS f BY k, numbered AS m BY v "
        "AGGREGATE count(f.v) AS n, max(m.v) AS top",
        "SELECT id AS k, CASE WHEN id < 7 THEN (406 - id) DIV 7 ELSE 0 END AS n, id AS top "
        "FROM range(400)",
    ),
}

# each with what it emits for each of the keys: the last micro-batch changes no sum
STREAMS = {
    "lookup": (
        "SELECT k, sum(v) AS total FROM STREAM events JOIN names USING (k) "
        f"WHERE {SLOW} GROUP BY k EMIT ON CHANGE",
        [(8,), (24,)],
    ),
    "cogroup": (
        f"COGROUP (SELECT * FROM STREAM events WHERE {SLOW}) AS e BY k, STREAM events AS o BY k "
        "AGGREGATE sum(e.v) AS total, count(o.v) AS n EMIT ON CHANGE",
        [(8, 8), (24, 16), (24, 24)],
    ),
    "rows": (
        f"SELECT k, v FROM STREAM events WHERE {SLOW} EMIT ON CHANGE KEY (k)",
        [(1,), (2,), (0,)],
    ),
}


@pytest.fixture
def tables(spark: SparkSession) -> None:
    for statement in (
        f"CREATE TABLE facts USING parquet PARTITIONED BY (k) AS "
        f"SELECT id AS v, id % 7 AS k FROM range({ROWS})",
        f"CREATE TABLE numbered USING parquet AS SELECT id AS v FROM range(0, {ROWS}, 1, 4)",
        "CREATE TABLE sources USING parquet AS SELECT id AS k, concat('n', id) AS name "
        "FROM range(5)",
        "CREATE GLOBAL TABLE names PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM sources",
    ):
        spark.sql(statement)


def rows(spark: SparkSession, sql: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.sql(sql).collect()))


def active_tasks(spark: SparkSession) -> int:
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return sum(stage.numActiveTasks for stage in stages if stage is not None)


def kill_at_work(spark: SparkSession, query: StreamingQuery) -> None:
    eventually(lambda: not query.isActive or active_tasks(spark) > 0)
    kill(executors(spark.sparkContext.applicationId))


def kill(processes: set[int]) -> None:
    for each in processes:
        with suppress(ProcessLookupError):  # it has ended by itself
            os.kill(each, signal.SIGKILL)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("query", QUERIES)
def test_an_executor_is_killed_in_a_query(spark: SparkSession, query: str) -> None:
    ours, plain = QUERIES[query]
    application = spark.sparkContext.applicationId
    eventually(lambda: len(executors(application)) == 2)
    before = executors(application)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(rows, spark, ours)
        eventually(lambda: running.done() or active_tasks(spark) > 0)
        kill({min(before)})
        found = running.result()
    assert found == rows(spark, plain)
    eventually(lambda: len(executors(application)) == 2)
    assert executors(application) != before


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("stream", STREAMS)
def test_executors_are_killed_in_micro_batches(
    spark: SparkSession, two_workers: Cluster, tmp_path: Path, stream: str
) -> None:
    """The state comes from the checkpoint, the replica again from the driver."""
    spark.sql("CREATE TABLE events (k BIGINT, v BIGINT) USING parquet")
    query, emitted = STREAMS[stream]
    writer = spark.sql(query).writeStream.format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    for batch, value in enumerate([1, 2, 0]):
        spark.sql(f"INSERT INTO events SELECT id % 5, {value} FROM range(40)")
        running = writer.start(str(tmp_path / "out"))
        kill_at_work(spark, running)
        if batch == 1:
            two_workers.add_worker()
            two_workers.kill_worker()
        running.awaitTermination()
    found = [tuple(row) for row in spark.read.parquet(str(tmp_path / "out")).collect()]
    assert sorted(found) == sorted((key, *values) for key in range(5) for values in emitted)


@pytest.mark.usefixtures("tables")
def test_a_refresh_after_a_loss(spark: SparkSession) -> None:
    kill(executors(spark.sparkContext.applicationId))
    spark.sql("INSERT INTO sources VALUES (5, 'n5')")
    spark.sql("REFRESH GLOBAL TABLE names")
    joined = "SELECT name, count(*) AS n FROM facts JOIN names USING (k) GROUP BY name"
    assert [name for name, _ in rows(spark, joined)] == [f"n{k}" for k in range(6)]


@pytest.mark.usefixtures("tables")
def test_the_replica_is_sent_once_to_each_executor(spark: SparkSession) -> None:
    spark.sql(
        "CREATE GLOBAL TABLE wide PRIMARY KEY (k) REFRESH MANUAL AS "
        "SELECT id AS k, repeat(uuid(), 10) AS text FROM range(20000)"
    )
    size = 20_000 * 16  # bytes below which the texts cannot be compressed
    used = [memory_used(spark)]
    for _ in range(3):
        assert rows(spark, "SELECT max(length(text)) FROM facts JOIN wide USING (k)") == [(360,)]
        used.append(memory_used(spark))
    times_sent = [
        sum(after[manager] - before[manager] > size for before, after in pairwise(used))
        for manager in used[0]
    ]
    assert max(times_sent) == 1, used


def memory_used(spark: SparkSession) -> dict[str, int]:
    """Returns the bytes of storage memory, which broadcasts use too, of driver and executors."""
    eventually(lambda: len(_managers(spark)) == 3)
    return {
        manager: int(maximum) - int(remaining) for manager, maximum, remaining in _managers(spark)
    }


def _managers(spark: SparkSession) -> list[tuple[str, str, str]]:
    status = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().mkString()
    return re.findall(r"([\w.-]+:\d+) -> \((\d+),(\d+)\)", status)
