"""EMIT in streams: what is reported, what is dropped, and what the state holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .harness import Stream, arrive

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE t (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")


def rows(*pairs: tuple[int, int]) -> list[str]:
    return [f"({k}L, {v}L, NULL)" for k, v in pairs]


@pytest.mark.parametrize("provider", ["HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider"])
def test_unchanged_results_are_dropped(spark: SparkSession, tmp_path: Path, provider: str) -> None:
    package = "org.apache.spark.sql.execution.streaming.state"
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", f"{package}.{provider}")
    sql = "SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 5), (2, 7)))
    assert stream.run() == [[(1, 5), (2, 7)]]
    print(stream.plan)
    arrive(spark, "t", rows((1, 3), (2, 9), (3, 1)))
    assert stream.run() == [[(2, 9), (3, 1)]]
    assert stream.dropped == 1
    assert stream.progress["stateOperators"][0]["numRowsUpdated"] == 2
    arrive(spark, "t", rows((1, 5), (2, 9)))
    assert stream.run() == []
    assert stream.dropped == 3
    assert stream.progress["stateOperators"][0]["numRowsUpdated"] == 0


@pytest.mark.parametrize("provider", ["HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider"])
def test_key(spark: SparkSession, tmp_path: Path, provider: str) -> None:
    package = "org.apache.spark.sql.execution.streaming.state"
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", f"{package}.{provider}")
    for i, sql in enumerate(["SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k)", "SELECT k, max(v) AS v FROM STREAM t GROUP BY k EMIT ON CHANGE KEY (k)"]):
        spark.sql("TRUNCATE TABLE t")
        stream = Stream(lambda: spark.sql(sql), tmp_path / str(i))
        arrive(spark, "t", rows((1, 5), (2, 7)))
        assert stream.run() == [[(1, 5), (2, 7)]]
        print(stream.plan)
        arrive(spark, "t", rows((1, 5), (2, 9), (3, 1)))
        assert stream.run() == [[(2, 9), (3, 1)]]
        assert stream.dropped == 1
