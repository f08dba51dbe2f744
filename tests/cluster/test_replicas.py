"""What is sent of the replicas of a global table, and what memory they take on an executor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eddyline import global_tables
from waiting import eventually

from .broadcasts import DRIVER, Broadcasts
from .queries import SLOW, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEYS = 20_000
# the random bytes of all texts, below which nothing compresses them
SIZE = KEYS * 16
# more than the bytes that executors have of other broadcasts, such as those of tasks
OTHERS = 4 << 20
TASKS = 8
LOOKUP = (
    "SELECT count(*), max(length(text)) "
    f"FROM (SELECT id AS k FROM range(-1, 399, 1, {TASKS}) WHERE {SLOW}) JOIN texts USING (k)"
)


def fill(spark: SparkSession, length: int) -> None:
    """Writes all texts again, each a random one of 36 characters that is repeated this often."""
    spark.sql(f"INSERT OVERWRITE written SELECT id, repeat(uuid(), {length}) FROM range({KEYS})")


@pytest.fixture
def texts(spark: SparkSession) -> Broadcasts:
    """Makes the global table `texts`, and counts what is sent."""
    spark.sql("CREATE TABLE written (k BIGINT, text STRING) USING parquet")
    fill(spark, 10)
    sent = Broadcasts(spark)
    spark.sql("CREATE GLOBAL TABLE texts PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM written")
    return sent


def look_up(spark: SparkSession) -> tuple[int, int]:
    """Returns the number of matches and the longest text, from tasks on both executors."""
    ((matches, length),) = spark.sql(LOOKUP).collect()
    return matches, length


def test_a_version_is_sent_once_to_each_executor(spark: SparkSession, texts: Broadcasts) -> None:
    """Eight tasks and three queries need it; what is sent is its size for each executor."""
    for version, length in enumerate([10, 9], start=1):
        for _ in range(3):
            assert look_up(spark) == (399, 36 * length)
        replicas = texts.larger_than(SIZE)
        assert len(replicas) == version, replicas
        size = replicas[-1][DRIVER]
        assert sorted(replicas[-1].values()) == [size] * 3, replicas
        if version == 1:
            fill(spark, 9)
            spark.sql("REFRESH GLOBAL TABLE texts")
    assert not texts.sent_twice()


def test_an_executor_has_one_version_and_the_pieces_it_came_in(
    spark: SparkSession, texts: Broadcasts
) -> None:
    before = memory_used(spark)
    look_up(spark)
    (table,) = global_tables(spark)
    assert table.replica_bytes is not None
    takes = table.replica_bytes + texts.larger_than(SIZE)[-1][DRIVER]
    assert takes / 2 < growth(before, spark) < takes + OTHERS
    fill(spark, 9)
    spark.sql("REFRESH GLOBAL TABLE texts")
    look_up(spark)
    # the superseded version goes at its own pace
    eventually(lambda: growth(before, spark) < takes + OTHERS)


@pytest.mark.parametrize("key", ["id", "string(id)"])
def test_a_replica_of_a_few_rows_takes_little_memory(spark: SparkSession, key: str) -> None:
    """Spark's own relation takes up to 64 MiB on each executor."""
    spark.sql(f"CREATE GLOBAL TABLE few PRIMARY KEY (k) AS SELECT {key} AS k FROM range(5)")
    before = memory_used(spark)
    lookup = f"SELECT count(*) FROM (SELECT {key} AS k FROM range(0, 400, 1, {TASKS})) JOIN few"
    assert rows(spark, f"{lookup} USING (k)") == [(5,)]
    assert growth(before, spark) < OTHERS


def growth(before: dict[str, int], spark: SparkSession) -> int:
    """Returns by how many bytes an executor uses more than before, at most."""
    now = memory_used(spark)
    return max(now[executor] - before[executor] for executor in before)


def memory_used(spark: SparkSession) -> dict[str, int]:
    """Returns the bytes of storage memory that each executor uses, broadcasts among it."""
    assert spark._jvm is not None
    context = spark.sparkContext._jsc.sc()
    return dict(spark._jvm.org.apache.spark.eddyline.StorageMemory.used(context))
