"""A session with DataFusion Comet, before or after eddyline."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest

import maven
from eddyline.versions import native_engines
from suite import load_extension
from tiers import ROOT

JARS = ROOT / "build/comet"
COMET = native_engines()["comet"]


@pytest.fixture(scope="session")
def comet_jars() -> list[Path]:
    """Returns the jars of Comet, fetched once; skips the tests where Maven cannot."""
    if not pyspark.__version__.startswith(f"{COMET.spark}."):
        pytest.skip(f"NO TEST OF COMET RUNS: it has a release for Spark {COMET.spark}")
    return maven.jars(COMET.jars, JARS)


@pytest.fixture(scope="session")
def spark_settings(spark_settings: None, comet_jars: list[Path]) -> None:
    """Adds Comet to the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    load_extension(COMET, comet_jars)
    SparkConfigBuilder.get().set("spark.memory.offHeap.size", "1g")
