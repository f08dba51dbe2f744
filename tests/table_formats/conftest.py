"""A session with the table format that has a release for this Spark, before or after eddyline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

import maven
from eddyline.versions import TableFormat, table_formats
from tiers import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JARS = ROOT / "build/table-formats"
EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}


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
def table_format() -> TableFormat:
    """Returns the format that has a release for this Spark; skips the tests without one."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    found = [known for known in table_formats() if known.spark == minor]
    if not found:
        pytest.skip(f"NO TEST OF TABLE FORMATS RUNS: none has a release for Spark {minor}")
    return found[0]


@pytest.fixture(scope="session")
def format_jars(table_format: TableFormat) -> list[Path]:
    """Returns the jars of the format, fetched once; skips the tests where Maven cannot."""
    return maven.jars(table_format.jars, JARS)


@pytest.fixture(scope="session")
def spark_settings(
    spark_settings: None,
    table_format: TableFormat,
    format_jars: list[Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Adds the format to the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder.get()
    path = os.pathsep.join([conf.get("spark.driver.extraClassPath"), *map(str, format_jars)])
    conf.set("spark.driver.extraClassPath", path)
    extensions = [conf.get("spark.sql.extensions"), EXTENSIONS[table_format.provider]]
    if not os.environ.get("EDDYLINE_FIRST"):
        extensions.reverse()
    conf.set("spark.sql.extensions", ",".join(extensions))
    if table_format.provider == "delta":
        catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        conf.set("spark.sql.catalog.spark_catalog", catalog)
        conf.set("spark.databricks.delta.snapshotPartitions", "2")
    else:
        conf.set("spark.sql.catalog.ice", "org.apache.iceberg.spark.SparkCatalog")
        conf.set("spark.sql.catalog.ice.type", "hadoop")
        conf.set("spark.sql.catalog.ice.warehouse", str(tmp_path_factory.mktemp("ice")))


@pytest.fixture
def lake(spark: SparkSession, table_format: TableFormat, tmp_path: Path) -> Iterator[Lake]:
    """Yields an empty namespace in which the current catalog and database are."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path / "checkpoints"))
    catalog = "spark_catalog" if table_format.provider == "delta" else "ice"
    spark.sql(f"CREATE NAMESPACE {catalog}.lake_of_test")
    spark.sql(f"USE {catalog}.lake_of_test")
    yield Lake(table_format.provider, f"{catalog}.lake_of_test")
    spark.sql(f"USE {catalog}.lake_of_test")
    for row in spark.sql("SHOW TABLES").collect():
        spark.sql(f"DROP TABLE {row.tableName}")
    spark.sql("USE spark_catalog.default")
    spark.sql(f"DROP NAMESPACE {catalog}.lake_of_test CASCADE")
