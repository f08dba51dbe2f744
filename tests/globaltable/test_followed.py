"""Lookups of real-time mode go to the newest versions, whatever is refreshed while they begin."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOINED = "SELECT a.k, a.v * 1000 + b.v AS v FROM a JOIN b USING (k)"


@pytest.fixture
def tables(spark: SparkSession) -> SparkSession:
    for name in ("a", "b"):
        spark.sql(f"CREATE TABLE of_{name} USING parquet AS SELECT 1L AS k, 0L AS v")
        spark.sql(
            f"CREATE GLOBAL TABLE {name} PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM of_{name}"
        )
    return spark


def lookup(spark: SparkSession, query: str) -> Any:
    """Returns a lookup that has been planned, but has not begun."""
    helpers: Any = spark._jvm.org.apache.spark.sql.execution.joins.eddyline
    return helpers.FollowedLookup(spark.sql(query)._jdf)


def change(spark: SparkSession, table: str, value: int) -> None:
    spark.sql(f"INSERT OVERWRITE of_{table} SELECT 1L, {value}L")
    spark.sql(f"REFRESH GLOBAL TABLE {table}")


@pytest.mark.parametrize("is_cached", [True, False])
@pytest.mark.parametrize("query", ["SELECT k, v FROM a", "SELECT k, abs(v) AS v FROM a"])
def test_a_version_that_comes_before_the_first_lookup(
    tables: SparkSession, query: str, is_cached: bool
) -> None:
    if is_cached:
        lookup(tables, query).find(1)
    planned = lookup(tables, query)
    change(tables, "a", 7)
    assert list(planned.find(1)) == [7]
    change(tables, "a", 8)
    eventually(lambda: list(planned.find(1)) == [8])
    assert list(lookup(tables, query).find(1)) == [8]


def test_a_version_that_comes_while_nothing_is_looked_up(tables: SparkSession) -> None:
    found = lookup(tables, "SELECT k, v FROM a")
    found.begin()
    change(tables, "a", 7)
    later = lookup(tables, "SELECT k, v FROM a")
    later.find(1)
    eventually(lambda: list(later.find(1)) == [7])
    assert list(found.find(1)) == [7], "its task began before"


def test_a_replacement_that_fails(tables: SparkSession) -> None:
    found = lookup(tables, "SELECT k, v FROM a")
    found.find(1)
    twice = "SELECT * FROM of_a UNION ALL SELECT * FROM of_a"
    with pytest.raises(AnalysisException, match="DUPLICATE_KEY"):
        tables.sql(f"CREATE OR REPLACE GLOBAL TABLE a PRIMARY KEY (k) REFRESH MANUAL AS {twice}")
    change(tables, "a", 7)
    eventually(lambda: list(found.find(1)) == [7])


def test_tables_that_are_refreshed_at_once(tables: SparkSession) -> None:
    found = lookup(tables, JOINED)
    assert list(found.find(1)) == [0]
    with ThreadPoolExecutor(2) as threads:
        for value in range(1, 6):
            list(threads.map(lambda table, value=value: change(tables, table, value), "ab"))
            eventually(lambda value=value: list(found.find(1)) == [value * 1001])
