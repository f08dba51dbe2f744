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
    with emptied(spark_session.newSession()) as session:
        yield session


@contextmanager
def emptied(session: SparkSession) -> Iterator[SparkSession]:
    """Yields a session, and removes all tables, views and streaming queries afterwards."""
    yield session
    for query in streaming_queries(session):
        session.sql(f"DROP STREAMING QUERY `{query.name}`")
    for table in global_tables(session):
        session.sql(f"DROP GLOBAL TABLE `{table.table_name}`")
    for row in session.sql("SHOW VIEWS").collect():
        session.sql(f"DROP VIEW IF EXISTS {row.viewName}")
    for row in session.sql("SHOW TABLES").collect():
        session.sql(f"DROP TABLE IF EXISTS {row.tableName}")
