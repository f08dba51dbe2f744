"""UPSERT INTO a table that can MERGE, and names in another current catalog."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from .streamingquery_harness import NOW, arrive, finish

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("events_and_copy")
_NAMES = count()
GROUPED = "SELECT k, sum(v) AS v FROM STREAM events GROUP BY k EMIT ON CHANGE"


@pytest.fixture
def totals(spark: SparkSession) -> str:
    """Returns a table of a catalog whose tables can MERGE."""
    table = f"lake.upserts{next(_NAMES)}.totals"
    spark.sql(f"CREATE TABLE {table} (k INT, v BIGINT, note STRING)")
    return table


def rows(spark: SparkSession, table: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.table(table).collect()), key=str)


def test_rows_replace_those_of_their_key(spark: SparkSession, totals: str) -> None:
    spark.sql(f"INSERT INTO {totals} VALUES (1, 0, 'kept'), (9, 9, 'kept')")
    spark.sql("INSERT INTO events VALUES (1, 10), (2, 20), (1, 11), (NULL, 5)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) {GROUPED}")
    first = [(1, 21, "kept"), (2, 20, None), (9, 9, "kept"), (None, 5, None)]
    assert rows(spark, totals) == first
    spark.sql("INSERT INTO events VALUES (NULL, 1), (2, 2), (7, 7)")
    finish(spark, "START STREAMING QUERY q")
    assert rows(spark, totals) == [
        (1, 21, "kept"),
        (2, 22, None),
        (7, 7, None),
        (9, 9, "kept"),
        (None, 6, None),
    ]


def test_the_number_of_the_micro_batch(spark: SparkSession, totals: str) -> None:
    spark.sql(f"CREATE TABLE {totals}_of (k INT, v BIGINT, batch BIGINT)")
    sink = f"UPSERT INTO {totals}_of KEY (k) WITH BATCH ID batch"
    arrive(spark, 1, 2)
    finish(spark, f"START STREAMING QUERY q {NOW} AS {sink} {GROUPED}")
    arrive(spark, 2)
    finish(spark, "START STREAMING QUERY q")
    assert rows(spark, f"{totals}_of") == [(1, 1, 0), (2, 4, 1)]
    (created,) = spark.sql("SHOW CREATE STREAMING QUERY q").collect()
    assert f"AS UPSERT INTO {totals}_of KEY (`k`) WITH BATCH ID batch" in created[0]


def test_a_key_is_all_there_is(spark: SparkSession, totals: str) -> None:
    spark.sql(f"INSERT INTO {totals} VALUES (1, 0, 'kept')")
    arrive(spark, 1, 2)
    distinct = "SELECT DISTINCT k FROM STREAM events EMIT ON UPDATE"
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) {distinct}")
    assert rows(spark, totals) == [(1, 0, "kept"), (2, None, None)]


@pytest.mark.parametrize("key", ["k", "count"])
def test_two_rows_of_a_key(spark: SparkSession, totals: str, key: str) -> None:
    spark.sql(f"CREATE TABLE {totals}_of ({key} INT, v INT)")
    spark.sql("INSERT INTO events VALUES (1, 10), (1, 11), (2, 20)")
    spark.sql(
        f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals}_of KEY ({key}) "
        f"SELECT k AS {key}, v FROM STREAM events"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql("AWAIT STREAMING QUERY q")
    assert "[EDDYLINE_STREAMING_QUERY.DUPLICATE_KEY]" in str(caught.value)
    assert "Micro-batch 0 has 2 rows of the key (1)" in str(caught.value)
    assert rows(spark, f"{totals}_of") == []


@pytest.fixture(params=["spark_catalog", "lake"])
def inside(
    spark: SparkSession, events_and_copy: None, totals: str, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Makes the namespace of the table the current one, in a default catalog or another one."""
    spark.conf.set("spark.sql.defaultCatalog", request.param)
    spark.sql(f"USE {totals.rpartition('.')[0]}")
    yield
    spark.sql("USE spark_catalog.default")
    spark.conf.unset("spark.sql.defaultCatalog")


@pytest.mark.usefixtures("inside")
def test_names_mean_tables_of_the_current_namespace(spark: SparkSession, totals: str) -> None:
    """Also in the sessions that the query and Spark make for it."""
    spark.sql("INSERT INTO spark_catalog.default.events VALUES (1, 1), (2, 2)")
    source = "SELECT k, v FROM STREAM spark_catalog.default.events"
    finish(spark, f"START STREAMING QUERY q {NOW} AS INSERT INTO totals (k, v) {source}")
    finish(spark, f"START STREAMING QUERY r {NOW} AS UPSERT INTO totals KEY (k) {source}", "r")
    assert rows(spark, totals) == [(1, 1, None), (2, 2, None)]
    (claim,) = spark.sql(
        "EXPLAIN ASSUMPTIONS SELECT k, count(*) FROM totals ASSUME PARTITIONED BY (k) GROUP BY k"
    ).collect()
    assert claim.outcome == "DROPPED"
