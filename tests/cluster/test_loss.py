"""Executors and workers that are killed: results are those of plain Spark, nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .broadcasts import Broadcasts
from .losses import at_work, kill_executors, kill_one_executor
from .queries import QUERIES, SLOW, SLOW_ZERO, STREAMS, VALUES, arrive, rows
from .standalone import Cluster

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

JOINED = f"SELECT name, count(*) AS n FROM facts JOIN names USING (k) WHERE {SLOW} GROUP BY name"


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("query", QUERIES)
def test_an_executor_is_killed_in_a_query(spark: SparkSession, query: str) -> None:
    """Where a claim is checked by a job of its own, that is the first to have tasks."""
    ours, plain = QUERIES[query]
    with at_work(spark, lambda: rows(spark, ours)) as running:
        kill_one_executor(spark)
    assert running.result() == rows(spark, plain)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("stream", STREAMS)
def test_executors_are_killed_in_micro_batches(
    spark: SparkSession, two_workers: Cluster, tmp_path: Path, stream: str
) -> None:
    """The state comes from the checkpoint, the replica again from the driver.

    In one micro-batch another worker joins, and one is lost with its executor.
    """
    sent = Broadcasts(spark)
    writer = spark.sql(STREAMS[stream].query).writeStream.format("parquet")
    writer = writer.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    for value in VALUES:
        arrive(spark, value)
        with at_work(
            spark, lambda: writer.start(str(tmp_path / "out")).awaitTermination()
        ) as query:
            kill_executors(spark)
            if value == VALUES[1]:
                two_workers.add_worker()
                two_workers.kill_worker()
        query.result()
    found = [tuple(row) for row in spark.read.parquet(str(tmp_path / "out")).collect()]
    assert sorted(found) == STREAMS[stream].rows()
    assert not sent.sent_twice()


def test_an_executor_is_killed_in_a_refresh(spark: SparkSession) -> None:
    """First while a version is written, then while executors fetch it and run lookups."""
    for statement in (
        "CREATE TABLE facts USING parquet AS SELECT id AS v, id % 7 AS k FROM range(400)",
        "CREATE TABLE sources USING parquet AS SELECT id AS k FROM range(0, 300, 1, 4)",
        "CREATE GLOBAL TABLE names PRIMARY KEY (k) REFRESH MANUAL AS "
        f"SELECT k, concat('n', k + {SLOW_ZERO.format('k')}) AS name FROM sources",
    ):
        spark.sql(statement)
    assert [name for name, _ in rows(spark, JOINED)] == [f"n{k}" for k in range(7)]
    spark.sql("INSERT OVERWRITE sources SELECT id AS k FROM range(5, 305, 1, 4)")
    sent = Broadcasts(spark)
    for action in ("REFRESH GLOBAL TABLE names", JOINED):
        with at_work(spark, lambda action=action: rows(spark, action)) as running:
            kill_one_executor(spark)
    assert [name for name, _ in running.result()] == ["n5", "n6"]
    assert not sent.sent_twice()


@pytest.mark.usefixtures("tables")
def test_a_refresh_after_a_loss(spark: SparkSession) -> None:
    kill_executors(spark)
    spark.sql("INSERT INTO sources VALUES (5, 'n5')")
    spark.sql("REFRESH GLOBAL TABLE names")
    assert [name for name, _ in rows(spark, JOINED)] == [f"n{k}" for k in range(6)]
