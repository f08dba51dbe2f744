"""Claims over tables whose files a log of their own lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.testing import assertDataFrameEqual

import eddyline
from table_formats.conftest import Lake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAIL = "ENFORCED ON VIOLATION FAIL"


@pytest.fixture
def delta(lake: Lake) -> Lake:
    if lake.provider != "delta":
        pytest.skip("of Delta")
    return lake


@pytest.fixture
def iceberg(lake: Lake) -> Lake:
    if lake.provider != "iceberg":
        pytest.skip("of Iceberg")
    return lake


def outcome(spark: SparkSession, query: str) -> tuple[str, str | None]:
    (claim,) = eddyline.why(spark.sql(query)).claims
    return claim.outcome, claim.reason


def test_files_and_deletion_vectors(spark: SparkSession, delta: Lake) -> None:
    """A row that a deletion vector removes lies in its file still, and is no violation."""
    spark.sql(
        "CREATE TABLE visits (k INT, v INT) USING delta "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    spark.range(60).selectExpr("CAST(id % 6 AS INT) AS k", "CAST(id AS INT) AS v").repartition(
        3, "k"
    ).writeTo("visits").append()
    query = f"SELECT k, count(*) AS n FROM visits ASSUME PARTITIONED BY (k) {FAIL} GROUP BY k"
    plain = "SELECT k, count(*) AS n FROM visits GROUP BY k"
    assertDataFrameEqual(spark.sql(query), spark.sql(plain))
    spark.sql("INSERT INTO visits VALUES (0, 100), (7, 101)")
    with pytest.raises(Exception, match=r"EDDYLINE_ASSUME\.VIOLATED"):
        spark.sql(query).collect()
    spark.sql("DELETE FROM visits WHERE v = 100")
    assertDataFrameEqual(spark.sql(query), spark.sql(plain))


def test_rewritten_files(spark: SparkSession, delta: Lake) -> None:
    spark.sql("CREATE TABLE sales (k INT, day INT) USING delta PARTITIONED BY (day)")
    for day in range(3):
        spark.sql(f"INSERT INTO sales SELECT id % 5, {day} FROM range(20)")
        spark.sql(f"INSERT INTO sales SELECT id % 7, {day} FROM range(20)")
    claim = f"ASSUME PARTITIONED BY (day) {FAIL}"
    query = f"SELECT day, k, count(*) AS n FROM sales {claim} GROUP BY day, k"
    plain = "SELECT day, k, count(*) AS n FROM sales GROUP BY day, k"
    for change in ("OPTIMIZE sales", "DELETE FROM sales WHERE day = 1", "UPDATE sales SET k = 0"):
        spark.sql(change)
        assert outcome(spark, query) == ("USED", None)
        assertDataFrameEqual(spark.sql(query), spark.sql(plain))


@pytest.mark.parametrize("transform", ["k", "bucket(4, k)"])
def test_storage_partitioned_joins_stay(spark: SparkSession, iceberg: Lake, transform: str) -> None:
    spark.sql(f"CREATE TABLE a (k INT, v INT) USING iceberg PARTITIONED BY ({transform})")
    spark.sql(f"CREATE TABLE b (k INT, w INT) USING iceberg PARTITIONED BY ({transform})")
    spark.sql("INSERT INTO a SELECT id % 5, id FROM range(40)")
    spark.sql("INSERT INTO b SELECT id % 5, id FROM range(10)")
    for key in (
        "spark.sql.sources.v2.bucketing.enabled",
        "spark.sql.iceberg.planning.preserve-data-grouping",
    ):
        spark.conf.set(key, "true")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    plain = "SELECT a.k, v, w FROM a JOIN b ON a.k = b.k"
    claimed = "SELECT a.k, v, w FROM a ASSUME PARTITIONED BY (k) JOIN b ON a.k = b.k"
    for query in (plain, claimed):
        assert "Exchange" not in spark.sql(f"EXPLAIN {query}").collect()[0][0]
    assertDataFrameEqual(spark.sql(claimed), spark.sql(plain))
    told = "the source itself tells Spark how it is partitioned"
    assert outcome(spark, claimed) == ("DROPPED", told)
    assert eddyline.why(spark.sql(plain)).claims == []


def test_a_source_that_tells_nothing(spark: SparkSession, iceberg: Lake) -> None:
    spark.sql("CREATE TABLE a (k INT, v INT) USING iceberg PARTITIONED BY (k)")
    spark.sql("INSERT INTO a SELECT id % 5, id FROM range(40)")
    query = "SELECT k, count(*) AS n FROM a ASSUME PARTITIONED BY (k) GROUP BY k"
    assertDataFrameEqual(spark.sql(query), spark.sql("SELECT k, count(*) AS n FROM a GROUP BY k"))
    assert outcome(spark, query) == (
        "DROPPED",
        "the source is a DataSource V2, which tells Spark nothing of its partitions",
    )
    table = spark.table("a")
    table.createOrReplaceTempView("same")
    assert outcome(spark, query.replace("FROM a", "FROM same"))[0] == "DROPPED"
    assert eddyline.why(table.groupBy("k").count()).claims == []
