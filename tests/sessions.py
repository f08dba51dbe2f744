"""Small sessions, whose tables, views and streams are removed afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline import global_tables, streaming_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def local_settings(folder: Path) -> dict[str, str]:
    """Returns settings of a session of two cores that other machines cannot reach.

    Args:
        folder: where the warehouse is.
    """
    return {
        "spark.master": "local[2]",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.default.parallelism": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }


@contextmanager
def new_session(spark_session: SparkSession) -> Iterator[SparkSession]:
    """Yields a new session, and removes all tables, views and streaming queries afterwards."""
    session = spark_session.newSession()
    try:
        yield session
    finally:
        for query in session.streams.active:
            query.stop()
        drop_queries_and_global_tables(spark_session)
        drop_tables_and_views(session)


def drop_queries_and_global_tables(spark: SparkSession) -> None:
    """Drops all streaming queries and global tables by a session that knows eddyline."""
    for query in streaming_queries(spark):
        spark.sql(f"DROP STREAMING QUERY `{query.name}`")
    for table in global_tables(spark):
        spark.sql(f"DROP GLOBAL TABLE `{table.table_name}`")


def drop_tables_and_views(spark: SparkSession) -> None:
    """Drops what a session shows."""
    for row in spark.sql("SHOW VIEWS").collect():
        spark.sql(f"DROP VIEW IF EXISTS {row.viewName}")
    for row in spark.sql("SHOW TABLES").collect():
        spark.sql(f"DROP TABLE IF EXISTS {row.tableName}")
