"""UPSERT INTO a table that can MERGE, and names in another current catalog."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import streaming_queries, why
from waiting import CONDITION_HANGS, eventually

from .streamingquery_harness import (
    NOW,
    arrive,
    executions,
    finish,
    merging_table,
    one,
    rows_of,
    status,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("events_and_copy")
GROUPED = "SELECT k, sum(v) AS v FROM STREAM events GROUP BY k EMIT ON CHANGE"


@pytest.fixture
def totals(spark: SparkSession) -> str:
    """Returns a table of a catalog whose tables can MERGE."""
    return merging_table(spark)


def test_rows_replace_those_of_their_key(spark: SparkSession, totals: str) -> None:
    spark.sql(f"INSERT INTO {totals} VALUES (1, 0, 'kept'), (9, 9, 'kept')")
    spark.sql("INSERT INTO events VALUES (1, 10), (2, 20), (1, 11), (NULL, 5)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) {GROUPED}")
    first = [(1, 21, "kept"), (2, 20, None), (9, 9, "kept"), (None, 5, None)]
    assert rows_of(spark, totals) == first
    spark.sql("INSERT INTO events VALUES (NULL, 1), (2, 2), (7, 7)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, totals) == [
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
    assert rows_of(spark, f"{totals}_of") == [(1, 1, 0), (2, 4, 1)]
    (created,) = spark.sql("SHOW CREATE STREAMING QUERY q").collect()
    assert f"AS UPSERT INTO {totals}_of KEY (`k`) WITH BATCH ID batch" in created[0]


def test_a_key_is_all_there_is(spark: SparkSession, totals: str) -> None:
    spark.sql(f"INSERT INTO {totals} VALUES (1, 0, 'kept')")
    arrive(spark, 1, 2)
    distinct = "SELECT DISTINCT k FROM STREAM events EMIT ON UPDATE"
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) {distinct}")
    assert rows_of(spark, totals) == [(1, 0, "kept"), (2, None, None)]


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
    assert rows_of(spark, f"{totals}_of") == []


STORED = {
    "day DATE": "timestamp_seconds(k) AS day",
    "near FLOAT": "k / 10D AS near",
    "whole INT": "k + 0.5D AS whole",
    "cents DECIMAL(10, 2)": "CAST(k / 8 AS DECIMAL(10, 4)) AS cents",
    "code CHAR(5)": "CAST(k AS STRING) AS code",
    "short VARCHAR(1)": "k || '  ' AS short",
    "letter STRING COLLATE UTF8_LCASE": "chr(64 + k) AS letter",
}


def test_a_key_is_as_the_table_has_it(spark: SparkSession, totals: str) -> None:
    spark.sql(f"CREATE TABLE {totals}_of ({', '.join(STORED)}, n BIGINT)")
    keys = ", ".join(column.split()[0] for column in STORED)
    query = f"SELECT {', '.join(STORED.values())}, count(*) AS n FROM STREAM events GROUP BY k"
    arrive(spark, 1)
    finish(
        spark,
        f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals}_of KEY ({keys}) "
        f"{query} EMIT ON CHANGE",
    )
    arrive(spark, 1)
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, f"{totals}_of") == [
        (date(1970, 1, 1), pytest.approx(0.1), 1, Decimal("0.13"), "1    ", "1", "A", 2)
    ]


def plans(spark: SparkSession, run: str) -> list[str]:
    """Returns the physical plans of a run that has ended."""
    assert spark._jsc is not None
    spark._jsc.sc().listenerBus().waitUntilEmpty(int(CONDITION_HANGS * 1000))
    return [each.physicalPlanDescription() for each in executions(spark, run)]


COGROUPED = "COGROUP STREAM events BY k, STREAM copy BY k AGGREGATE count(*) AS n EMIT ON CHANGE"


@pytest.mark.parametrize(
    ("is_checked", "columns", "query"),
    [
        (False, "k BIGINT NOT NULL, v BIGINT", GROUPED),
        (False, "n BIGINT, k STRING", COGROUPED),
        (True, "k STRING, v INT", "SELECT k, v FROM STREAM events"),
        (True, "k CHAR(2), v BIGINT", GROUPED.replace("k,", "CAST(k AS STRING) AS k,", 1)),
        (True, "k INT, v BIGINT", GROUPED.replace("BY k", "BY k, v % 3")),
    ],
    ids=["grouped", "cogroup", "not grouped", "cast", "grouped by more"],
)
def test_a_query_that_is_grouped_by_the_key_is_not_checked(
    spark: SparkSession, totals: str, is_checked: bool, columns: str, query: str
) -> None:
    spark.sql(f"CREATE TABLE {totals}_of ({columns})")
    arrive(spark, 1, 2)
    sink = f"UPSERT INTO {totals}_of KEY (k)"
    run = one(spark, f"START STREAMING QUERY q {NOW} AS {sink} {query}").run_id
    spark.sql("AWAIT STREAMING QUERY q")
    assert len(rows_of(spark, f"{totals}_of")) == 2
    found = plans(spark, run)
    assert any("UPSERT" in plan or "ReplaceData" in plan for plan in found)
    assert any("__eddyline_count" in plan for plan in found) is is_checked


def test_keys_that_the_table_does_not_tell_apart(spark: SparkSession, totals: str) -> None:
    spark.sql(f"CREATE TABLE {totals}_of (day DATE, n BIGINT)")
    arrive(spark, 1, 2)
    query = "SELECT timestamp_seconds(k) AS day, count(*) AS n FROM STREAM events GROUP BY k"
    spark.sql(
        f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals}_of KEY (day) {query} EMIT ON CHANGE"
    )
    with pytest.raises(AnalysisException, match=r"has 2 rows of the key \(1970-01-01\)"):
        spark.sql("AWAIT STREAMING QUERY q")


def test_a_table_that_is_replaced(spark: SparkSession, totals: str) -> None:
    """Its catalog gives each table an id."""
    arrive(spark, 1)
    spark.sql(f"START STREAMING QUERY q AS UPSERT INTO {totals} KEY (k) {GROUPED}")
    eventually(lambda: spark.sql("SHOW STREAMING QUERY PROGRESS q").count())
    spark.sql(f"DROP TABLE {totals}")
    spark.sql(f"CREATE TABLE {totals} (k INT, v BIGINT, note STRING)")
    arrive(spark, 2)
    eventually(lambda: status(spark) == "FAILED")
    (info,) = streaming_queries(spark)
    assert "[EDDYLINE_STREAMING_QUERY.TARGET_REPLACED]" in str(info.last_error)
    assert rows_of(spark, totals) == []


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
    assert rows_of(spark, totals) == [(1, 1, None), (2, 2, None)]
    claimed = spark.sql("SELECT k, count(*) FROM totals ASSUME PARTITIONED BY (k) GROUP BY k")
    assert [claim.outcome for claim in why(claimed).claims] == ["DROPPED"]
