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
COMET = {
    "spark.plugins": "org.apache.spark.CometPlugin",
    "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
    "spark.memory.offHeap.enabled": "true",
    "spark.memory.offHeap.size": "1g",
}
EXTENSION = "org.apache.comet.CometSparkSessionExtensions"


@pytest.fixture(scope="session")
def comet_jars() -> list[Path]:
    """Returns the jars of Comet, fetched once; skips the tests where Maven cannot."""
    engine = native_engines()["comet"]
    if not pyspark.__version__.startswith(f"{engine.spark}."):
        pytest.skip(f"NO TEST OF COMET RUNS: it has a release for Spark {engine.spark}")
    jars = []
    for artifact in engine.jars:
        _, name, version = artifact.split(":")
        jars.append(JARS / f"{name}-{version}.jar")
        if not jars[-1].exists():
            maven.fetch(artifact, JARS)
    return jars


@pytest.fixture(scope="session")
def spark_settings(spark_settings: None, comet_jars: list[Path]) -> None:
    """Adds Comet to the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder.get()
    path = os.pathsep.join([conf.get("spark.driver.extraClassPath"), *map(str, comet_jars)])
    conf.set("spark.driver.extraClassPath", path)
    extensions = [conf.get("spark.sql.extensions"), EXTENSION]
    if not os.environ.get("EDDYLINE_FIRST"):
        extensions.reverse()
    conf.set("spark.sql.extensions", ",".join(extensions))
    for key, value in COMET.items():
        conf.set(key, value)
