"""One Spark session for the whole suite, by pytest-spark."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline import global_tables, streaming_queries
from eddyline.session import jar_path, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent


def scala_test_jar() -> Path:
    """The jar of the tests' Scala classes; `make test` keeps it fresh."""
    jar = ROOT / "build" / "tests" / jar_path().name.replace("-spark-", "-tests-")
    if not jar.exists():
        runpy.run_path(str(ROOT / "jvm-shim/build.py"))["build_test_jar"]()
    return jar


# pytest-spark drops its own options if another plugin is configured first
@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    from pytest_spark.config import SparkConfigBuilder

    scratch = ROOT / "build" / "tests" / str(os.getpid())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
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
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
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


@pytest.fixture
def spark(spark_session: SparkSession) -> Iterator[SparkSession]:
    """A session of its own for a test, over the suite's context."""
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
