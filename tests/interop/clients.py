"""Clients that run a statement and return its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Run = Callable[[str], list[tuple[Any, ...]]]


def by_cursor(cursor: Any) -> Run:
    """Returns what runs statements by a cursor of PyHive."""

    def run(sql: str) -> list[tuple[Any, ...]]:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []

    return run


def by_session(spark: SparkSession) -> Run:
    """Returns what runs statements in a session, also one of Spark Connect."""
    return lambda sql: [tuple(row) for row in spark.sql(sql).collect()]
