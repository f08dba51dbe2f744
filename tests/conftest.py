"""The Spark session of the suite, or of each worker, by pytest-spark; and the tiers."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline import global_tables, streaming_queries
from eddyline.session import jar_path, settings
from tiers import ROOT, TIERS, other_configurations, seed, tier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Memory of one worker: its JVM, its Python, and the JVM that a test starts beside them.
WORKER_BYTES = 6 << 30


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in TIERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def pytest_report_header() -> str:
    return f"EDDYLINE_SEED={seed()}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // WORKER_BYTES))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives each test the mark of its tier."""
    others = other_configurations(items)
    for item in items:
        marks = {mark.name for mark in item.iter_markers()} & set(TIERS)
        if not marks:
            name = tier(item.path, getattr(item, "fixturenames", []))
            item.add_marker("full" if name == "test" and item in others else name)
        elif len(marks) > 1:
            raise pytest.UsageError(f"{item.nodeid} is in the tiers {', '.join(sorted(marks))}")


def scala_test_jar() -> Path:
    """Returns the jar of the tests' Scala classes; `make test` keeps it fresh."""
    jar = ROOT / "build" / "tests" / jar_path().name.replace("-spark-", "-tests-")
    if not jar.exists():
        runpy.run_path(str(ROOT / "jvm-shim/build.py"))["build_test_jar"]()
    return jar


@pytest.fixture(scope="session")
def spark_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Gives pytest-spark the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder.get()
    for key, value in {
        **settings(
            {
                "spark.driver.extraClassPath": str(scala_test_jar()),
                "spark.sql.extensions": "io.eddyline.spark.assume.OtherScans",
            }
        ),
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.default.parallelism": "2",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("spark") / "warehouse"),
        "spark.sql.catalog.lake": "io.eddyline.spark.VersionedCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraJavaOptions": (
            "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
        ),
        "spark.log.level": "ERROR",
        "spark.hadoop.fs.file.impl": "io.eddyline.spark.PlainLocalFileSystem",
        "spark.hadoop.fs.AbstractFileSystem.file.impl": "io.eddyline.spark.PlainLocalFs",
    }.items():
        conf.set(key, value)


@pytest.fixture(scope="session")
def spark_session(spark_settings: None, spark_session: SparkSession) -> SparkSession:
    """Returns the session of pytest-spark, started with the settings above."""
    return spark_session


@pytest.fixture
def spark(spark_session: SparkSession) -> Iterator[SparkSession]:
    """Yields a new session for a test, over the suite's context."""
    with new_session(spark_session) as session:
        yield session


@pytest.fixture(scope="module")
def shared_spark(spark_session: SparkSession) -> Iterator[SparkSession]:
    """Yields a new session for the tests of a file."""
    with new_session(spark_session) as session:
        yield session


@contextmanager
def new_session(spark_session: SparkSession) -> Iterator[SparkSession]:
    """Yields a new session, and removes all tables, views and streaming queries afterwards."""
    session = spark_session.newSession()
    yield session
    for query in streaming_queries(spark_session):
        spark_session.sql(f"DROP STREAMING QUERY `{query.name}`")
    for table in global_tables(spark_session):
        spark_session.sql(f"DROP GLOBAL TABLE `{table.table_name}`")
    for row in session.sql("SHOW VIEWS").collect():
        session.sql(f"DROP VIEW IF EXISTS {row.viewName}")
    for row in session.sql("SHOW TABLES").collect():
        session.sql(f"DROP TABLE IF EXISTS {row.tableName}")
