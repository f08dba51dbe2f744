"""Sessions that leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eddyline import global_tables, streaming_queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
