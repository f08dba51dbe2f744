"""Each clause over tables of the format, in batch and as a stream."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.testing import assertDataFrameEqual

from eddyline import why
from streaming.streamingquery_harness import NOW, finish
from table_formats.conftest import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def shop(spark: SparkSession, lake: Lake) -> Lake:
    """Returns a namespace with two tables of orders and returns, the first in two versions."""
    spark.sql(
        f"CREATE TABLE orders (k INT, v INT, d STRING) USING {lake.provider} PARTITIONED BY (d)"
    )
    spark.sql("INSERT INTO orders VALUES (1, 10, 'x'), (2, 20, 'y'), (1, 11, 'y'), (NULL, 5, 'y')")
    spark.sql("INSERT INTO orders VALUES (5, 50, 'z')")
    spark.sql(f"CREATE TABLE refunds (k INT, w INT) USING {lake.provider}")
    spark.sql("INSERT INTO refunds VALUES (1, 100), (3, 300)")
    return lake


def first_version(spark: SparkSession, lake: Lake, table: str) -> str:
    """Returns the version after the first INSERT."""
    return lake.versions(spark, table)[1 if lake.provider == "delta" else 0]


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.sql(query).collect()), key=str)


def test_cogroup(spark: SparkSession, shop: Lake) -> None:
    got = spark.sql(
        "COGROUP orders BY k, refunds BY k AGGREGATE sum(orders.v) AS v, sum(refunds.w) AS w"
    )
    assertDataFrameEqual(
        got,
        spark.sql("""
            SELECT coalesce(o.k, r.k) AS k, v, w
            FROM (SELECT k, sum(v) AS v FROM orders GROUP BY k) AS o
            FULL JOIN (SELECT k, sum(w) AS w FROM refunds GROUP BY k) AS r ON o.k = r.k
            WHERE coalesce(o.k, r.k) IS NOT NULL"""),
    )


def test_an_older_version_in_each_clause(spark: SparkSession, shop: Lake) -> None:
    older = f"orders VERSION AS OF {first_version(spark, shop, 'orders')}"
    cogroup = f"COGROUP {older} AS o BY k, refunds AS r BY k AGGREGATE sum(o.v) AS v, sum(r.w) AS w"
    assert rows(spark, cogroup) == [(1, 21, 100), (2, 20, None), (3, None, 300)]
    claim = f"SELECT d, count(*) FROM {older} ASSUME PARTITIONED BY (d) GROUP BY d"
    assert rows(spark, claim) == [("x", 1), ("y", 3)]
    spark.sql(
        f"CREATE GLOBAL TABLE spark_catalog.default.past REFRESH MANUAL AS SELECT * FROM {older}"
    )
    spark.sql("INSERT INTO orders VALUES (6, 60, 'z')")
    spark.sql("REFRESH GLOBAL TABLE spark_catalog.default.past")
    assert rows(spark, "SELECT k, v FROM spark_catalog.default.past") == rows(
        spark, f"SELECT k, v FROM {older}"
    )


def test_lookups(spark: SparkSession, shop: Lake) -> None:
    spark.sql(
        "CREATE GLOBAL TABLE spark_catalog.default.costs PRIMARY KEY (k) REFRESH MANUAL "
        "AS SELECT * FROM refunds"
    )
    lookup = "SELECT o.v, c.w FROM orders AS o JOIN spark_catalog.default.costs AS c ON o.k = c.k"
    assert "GlobalLookup" in spark.sql(f"EXPLAIN {lookup}").collect()[0][0]
    assert rows(spark, lookup) == [(10, 100), (11, 100)]
    spark.sql("DELETE FROM refunds WHERE k = 1")
    spark.sql("INSERT INTO refunds VALUES (2, 200)")
    assert rows(spark, lookup) == [(10, 100), (11, 100)]
    spark.sql("REFRESH GLOBAL TABLE spark_catalog.default.costs")
    assert rows(spark, lookup) == [(20, 200)]


def test_streams(spark: SparkSession, shop: Lake) -> None:
    spark.sql(
        "CREATE GLOBAL TABLE spark_catalog.default.costs PRIMARY KEY (k) AS SELECT * FROM refunds"
    )
    spark.sql(f"CREATE TABLE counts (k INT, n BIGINT) USING {shop.provider}")
    spark.sql(f"CREATE TABLE sums (k INT, v BIGINT, w BIGINT) USING {shop.provider}")
    spark.sql(f"CREATE TABLE joined (v INT, w INT) USING {shop.provider}")
    counts = "SELECT k, count(*) AS n FROM STREAM orders GROUP BY k EMIT ON CHANGE"
    finish(spark, f"START STREAMING QUERY q {NOW} AS INSERT INTO counts {counts}")
    finish(
        spark,
        f"START STREAMING QUERY r {NOW} AS INSERT INTO sums "
        "COGROUP STREAM orders BY k, STREAM refunds BY k "
        "AGGREGATE sum(orders.v) AS v, sum(refunds.w) AS w EMIT ON CHANGE",
        "r",
    )
    finish(
        spark,
        f"START STREAMING QUERY s {NOW} AS INSERT INTO joined SELECT o.v, c.w "
        "FROM STREAM orders AS o JOIN spark_catalog.default.costs AS c ON o.k = c.k",
        "s",
    )
    assertDataFrameEqual(
        spark.table("counts"), spark.sql("SELECT k, count(*) AS n FROM orders GROUP BY k")
    )
    assert rows(spark, "SELECT * FROM sums") == [
        (1, 21, 100),
        (2, 20, None),
        (3, None, 300),
        (5, 50, None),
    ]
    assert rows(spark, "SELECT * FROM joined") == [(10, 100), (11, 100)]


def test_upserts(spark: SparkSession, shop: Lake) -> None:
    spark.sql(f"CREATE TABLE totals (k INT, v BIGINT, note STRING) USING {shop.provider}")
    spark.sql("INSERT INTO totals VALUES (1, 0, 'kept'), (9, 9, 'kept')")
    query = "SELECT k, sum(v) AS v FROM STREAM orders GROUP BY k EMIT ON CHANGE"
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO totals KEY (k) {query}")
    expected = [
        (1, 21, "kept"),
        (2, 20, None),
        (5, 50, None),
        (9, 9, "kept"),
        (None, 5, None),
    ]
    assert rows(spark, "SELECT * FROM totals") == expected
    spark.sql("INSERT INTO orders VALUES (NULL, 1, 'x'), (2, 2, 'x'), (7, 7, 'x')")
    finish(spark, "START STREAMING QUERY q")
    expected[1:2] = [(2, 22, None)]
    expected[3:3] = [(7, 7, None)]
    expected[-1] = (None, 6, None)
    assert rows(spark, "SELECT * FROM totals") == expected


def test_a_claim(spark: SparkSession, shop: Lake) -> None:
    query = "SELECT d, count(*) AS n FROM orders ASSUME PARTITIONED BY (d) GROUP BY d"
    assertDataFrameEqual(
        spark.sql(query), spark.sql("SELECT d, count(*) AS n FROM orders GROUP BY d")
    )
    (claim,) = why(spark.sql(query)).claims
    if shop.provider == "delta":
        assert (claim.outcome, claim.proof, claim.units) == ("USED", "structural", 3)
        assert "Exchange hashpartitioning" not in spark.sql(f"EXPLAIN {query}").collect()[0][0]
    else:
        assert claim.outcome == "DROPPED"
        assert claim.reason


@pytest.mark.parametrize(
    ("sink", "query", "condition"),
    [
        ("totals KEY (id)", "SELECT k, v", "EDDYLINE_STREAMING_QUERY.UPSERT_KEY_MISSING"),
        ("totals KEY (k)", "SELECT k, v AS amount", "EDDYLINE_STREAMING_QUERY.UNRESOLVED_COLUMN"),
        (
            "spark_catalog.default.plain KEY (k)",
            "SELECT k, v",
            "EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED",
        ),
    ],
)
def test_a_wrong_upsert(
    spark: SparkSession, shop: Lake, sink: str, query: str, condition: str
) -> None:
    spark.sql(f"CREATE TABLE totals (k INT, v INT) USING {shop.provider}")
    spark.sql("CREATE TABLE spark_catalog.default.plain (k INT, v INT) USING parquet")
    with pytest.raises(AnalysisException, match=re.escape(condition)):
        spark.sql(f"START STREAMING QUERY q AS UPSERT INTO {sink} {query} FROM STREAM orders")


def test_two_rows_of_a_key_in_a_micro_batch(spark: SparkSession, shop: Lake) -> None:
    spark.sql(f"CREATE TABLE totals (k INT, v INT) USING {shop.provider}")
    query = "SELECT k, v FROM STREAM orders"
    with pytest.raises(AnalysisException) as refused:
        finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO totals KEY (k) {query}")
    assert "EDDYLINE_STREAMING_QUERY.DUPLICATE_KEY" in str(refused.value)
    assert "2 rows of the key (1)" in str(refused.value)
    assert spark.table("totals").count() == 0
