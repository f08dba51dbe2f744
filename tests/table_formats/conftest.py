"""A session with the table format that has a release for this Spark, before or after eddyline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

import maven
from eddyline.versions import table_formats
from suite import load_extension
from tiers import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JARS = ROOT / "build/table-formats"


@dataclass(frozen=True)
class Lake:
    """The tables of a format.

    Attributes:
        provider: the word after USING.
        namespace: where its tables are.
    """

    provider: str
    namespace: str

    def versions(self, spark: SparkSession, table: str) -> list[str]:
        """Returns the versions of a table that the format keeps, oldest first."""
        if self.provider == "delta":
            rows = spark.sql(f"DESCRIBE HISTORY {table}").orderBy("version").collect()
            return [str(row.version) for row in rows]
        rows = spark.table(f"{self.namespace}.{table}.snapshots").orderBy("committed_at").collect()
        return [str(row.snapshot_id) for row in rows]


@pytest.fixture(scope="session")
def table_format() -> str:
    """Returns the format that has a release for this Spark; skips the tests without one."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    found = [provider for provider, known in table_formats().items() if known.spark == minor]
    if not found:
        pytest.skip(f"NO TEST OF TABLE FORMATS RUNS: none has a release for Spark {minor}")
    return found[0]


@pytest.fixture(scope="session")
def format_jars(table_format: str) -> list[Path]:
    """Returns the jars of the format, fetched once; skips the tests where Maven cannot."""
    return maven.jars(table_formats()[table_format].jars, JARS)


@pytest.fixture(scope="session")
def spark_settings(
    spark_settings: None,
    table_format: str,
    format_jars: list[Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Adds the format to the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    load_extension(table_formats()[table_format], format_jars)
    conf = SparkConfigBuilder.get()
    conf.set("spark.databricks.delta.snapshotPartitions", "2")
    conf.set("spark.sql.catalog.ice.warehouse", str(tmp_path_factory.mktemp("ice")))


@pytest.fixture
def lake(spark: SparkSession, table_format: str, tmp_path: Path) -> Iterator[Lake]:
    """Yields an empty namespace in which the current catalog and database are."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path / "checkpoints"))
    catalog = "spark_catalog" if table_format == "delta" else "ice"
    spark.sql(f"CREATE NAMESPACE {catalog}.lake_of_test")
    spark.sql(f"USE {catalog}.lake_of_test")
    yield Lake(table_format, f"{catalog}.lake_of_test")
    spark.sql(f"USE {catalog}.lake_of_test")
    for row in spark.sql("SHOW TABLES").collect():
        spark.sql(f"DROP TABLE {row.tableName}")
    spark.sql("USE spark_catalog.default")
    spark.sql(f"DROP NAMESPACE {catalog}.lake_of_test CASCADE")
