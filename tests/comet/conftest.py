"""A session with DataFusion Comet, before or after eddyline."""

from __future__ import annotations

import os
from pathlib import Path

import pyspark
import pytest

import maven
from eddyline.versions import native_engines
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

    conf = SparkConfigBuilder.get()
    path = os.pathsep.join([conf.get("spark.driver.extraClassPath"), *map(str, comet_jars)])
    conf.set("spark.driver.extraClassPath", path)
    extensions = [conf.get("spark.sql.extensions"), COMET.extension]
    if not os.environ.get("EDDYLINE_FIRST"):
        extensions.reverse()
    conf.set("spark.sql.extensions", ",".join(extensions))
    for key, value in {**COMET.settings, "spark.memory.offHeap.size": "1g"}.items():
        conf.set(key, value)
