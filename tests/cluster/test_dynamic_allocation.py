"""Dynamic allocation: executors go while nobody needs them, and others come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from waiting import eventually

from .broadcasts import DRIVER, Broadcasts
from .queries import QUERIES, STREAMS, VALUES, arrive, rows
from .standalone import executors

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NAMES = "SELECT count(name) AS n, max(name) AS top FROM facts JOIN names USING (k)"


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """Returns settings by which idle executors go at once, with their replicas, state and shuffles.

    `cachedExecutorIdleTimeout` keeps its default, which is that executors with a cache never go.
    Replicas are sent by Kryo here, and by Java's serialization in the other files.
    """
    return {
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.maxExecutors": "2",
        "spark.dynamicAllocation.executorIdleTimeout": "2s",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.timeout": "2s",
    }


def wait_until_all_have_gone(spark: SparkSession) -> None:
    application = spark.sparkContext.applicationId
    eventually(lambda: not executors(application))


@pytest.mark.usefixtures("tables")
def test_queries_between_which_all_executors_go(spark: SparkSession) -> None:
    for ours, plain in QUERIES.values():
        wait_until_all_have_gone(spark)
        assert rows(spark, ours) == rows(spark, plain), ours


@pytest.mark.usefixtures("tables")
def test_an_executor_that_has_a_replica_may_go(spark: SparkSession) -> None:
    """A new one fetches the replica once, of which nothing was built again."""
    sent = Broadcasts(spark)
    spark.sql(
        "CREATE GLOBAL TABLE wide PRIMARY KEY (k) REFRESH MANUAL AS "
        "SELECT id AS k, repeat(uuid(), 10) AS text FROM range(20000)"
    )
    for _ in range(2):
        assert rows(spark, "SELECT max(length(text)) FROM facts JOIN wide USING (k)") == [(360,)]
        wait_until_all_have_gone(spark)
    (replica,) = sent.larger_than(20_000 * 16)
    assert len(replica.keys() - {DRIVER}) >= 2, "at least one in each round"
    assert set(replica.values()) == {replica[DRIVER]}


@pytest.mark.usefixtures("tables")
def test_a_version_that_is_made_while_there_are_no_executors(spark: SparkSession) -> None:
    assert rows(spark, NAMES) == [(286, "n4")]
    wait_until_all_have_gone(spark)
    spark.sql("INSERT INTO sources VALUES (5, 'n5')")
    wait_until_all_have_gone(spark)
    spark.sql("REFRESH GLOBAL TABLE names")
    wait_until_all_have_gone(spark)
    assert rows(spark, NAMES) == [(343, "n5")]


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("stream", ["lookup", "cogroup", "options"])
def test_a_stream_between_whose_micro_batches_all_executors_go(
    spark: SparkSession, tmp_path: Path, stream: str
) -> None:
    """It runs all the time. New executors have its state from the checkpoint."""
    case = STREAMS[stream]
    writer = spark.sql(case.query).writeStream.format("parquet")
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    arrive(spark, VALUES[0])
    running = writer.start(str(tmp_path / "out"))
    running.processAllAvailable()
    for value in VALUES[1:]:
        wait_until_all_have_gone(spark)
        arrive(spark, value)
        running.processAllAvailable()
    running.stop()
    found = [tuple(row) for row in spark.read.parquet(str(tmp_path / "out")).collect()]
    assert sorted(found) == case.rows()
