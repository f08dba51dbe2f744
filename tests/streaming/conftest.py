"""What the tests of streams over global tables share."""

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
