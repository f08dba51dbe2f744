"""A session with DataFusion Comet: before eddyline, or after it and with integrations/comet."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

import maven
from eddyline.versions import native_engines
from suite import is_eddyline_first, load_extension
from tiers import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JARS = ROOT / "build/comet"
COMET = native_engines()["comet"]


@pytest.fixture(scope="session")
def comet_jars() -> list[Path]:
    """Returns the jars of Comet, fetched once; skips the tests where Maven cannot.

    If eddyline is loaded first, the jar of integrations/comet is among them.
    """
    if not pyspark.__version__.startswith(f"{COMET.spark}."):
        pytest.skip(f"NO TEST OF COMET RUNS: it has a release for Spark {COMET.spark}")
    jars = maven.jars(COMET.jars, JARS)
    if is_eddyline_first():
        jars.append(module_jar(jars))
    return jars


def module_jar(comet_jars: list[Path]) -> Path:
    """Returns the jar of integrations/comet."""
    jar: Path = runpy.run_path(str(ROOT / "jvm-shim/build.py"))["build_comet_jar"](comet_jars[0])
    return jar


@pytest.fixture(scope="session")
def spark_settings(spark_settings: None, comet_jars: list[Path]) -> None:
    """Adds Comet to the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    load_extension(COMET, comet_jars)
    SparkConfigBuilder.get().set("spark.memory.offHeap.size", "1g")


@pytest.fixture
def tables(spark: SparkSession) -> None:
    """Writes tables with all rows of a key in one file (good), and in several (bad)."""
    rows = "id % 20 AS k, id AS v, if(id % 2 = 0, 'x', string(id)) AS s FROM range(200)"
    spark.sql(f"CREATE TABLE good USING parquet AS SELECT /*+ REPARTITION(4, k) */ {rows}")
    spark.sql(f"CREATE TABLE bad USING parquet AS SELECT /*+ REPARTITION(4) */ {rows}")
