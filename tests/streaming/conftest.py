"""The fixtures for tests of streams over global tables, and of streaming queries by SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .globaltable_harness import Lookups, drivers, file_faults
from .streamingquery_harness import Servers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(params=["HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider"])
def provider(spark: SparkSession, request: pytest.FixtureRequest) -> str:
    """Runs a test with each of Spark's state stores, and returns the name of the class."""
    package = "org.apache.spark.sql.execution.streaming.state"
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", f"{package}.{request.param}")
    return str(request.param)


@pytest.fixture
def table(spark: SparkSession) -> None:
    """Creates the table `t` of the tests of EMIT."""
    spark.sql("CREATE TABLE t (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> Iterator[Lookups]:
    """Yields a stream of lookups; afterwards resets what the test did to files and the driver."""
    lookups = Lookups(spark, tmp_path / "checkpoint")
    yield lookups
    file_faults(spark).mend()
    if lookups.query:
        lookups.stop()


@pytest.fixture
def restarting(spark: SparkSession) -> Iterator[None]:
    """Resets the driver after a test that gives it other settings."""
    yield
    drivers(spark).restart(spark._jsparkSession, {})


@pytest.fixture
def events_and_copy(spark: SparkSession, tmp_path: Path) -> None:
    """Creates a table to read and one to write, and sets the root for checkpoints."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    for name in ("events", "copy"):
        spark.sql(f"CREATE TABLE {name} (k INT, v INT) USING parquet")


@pytest.fixture
def servers(spark: SparkSession, tmp_path: Path) -> Iterator[Servers]:
    """Yields the servers of a location of the test's own, the first of which runs."""
    found = Servers(spark, tmp_path / "definitions")
    found.reset()
    found.begin()
    yield found
    found.reset()
