"""The fixtures of the tests in this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(params=["true", "false"], ids=["adaptive", "plain"])
def adaptive(spark: SparkSession, request: pytest.FixtureRequest) -> None:
    """Runs a test with and without adaptive execution."""
    spark.conf.set("spark.sql.adaptive.enabled", request.param)
