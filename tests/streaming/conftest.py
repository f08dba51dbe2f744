"""What the tests of streams over global tables, and of streaming queries by SQL, share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .globaltable_harness import Lookups, drivers, file_faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> Iterator[Lookups]:
    """A stream of lookups; whatever the test did to files and to the driver ends with it."""
    lookups = Lookups(spark, tmp_path / "checkpoint")
    yield lookups
    file_faults(spark).mend()
    if lookups.query:
        lookups.stop()


@pytest.fixture
def restarting(spark: SparkSession) -> Iterator[None]:
    """For tests that give the driver other settings."""
    yield
    drivers(spark).restart(spark._jsparkSession, {})


@pytest.fixture
def events_and_copy(spark: SparkSession, tmp_path: Path) -> None:
    """A table to read and one to write, and a root for checkpoints."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    for name in ("events", "copy"):
        spark.sql(f"CREATE TABLE {name} (k INT, v INT) USING parquet")
