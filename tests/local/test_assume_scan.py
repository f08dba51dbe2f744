"""The scan below a claim keeps its metrics, its vectors and its pruning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eddyline import why

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("adaptive")


def plan(frame: DataFrame) -> str:
    """Returns the plan that ran."""
    text = str(frame._jdf.queryExecution().executedPlan())
    return text.partition("Initial Plan")[0]


def of_table(frame: DataFrame, table: str, metric: str) -> int:
    scans = frame.sparkSession._jvm.io.eddyline.spark.assume.Scans
    return int(scans.ofTable(frame._jdf, table, metric))


def units(frame: DataFrame) -> int:
    scans = frame.sparkSession._jvm.io.eddyline.spark.assume.Scans
    return int(scans.ofUnits(frame._jdf, "numUnits"))


def both(spark: SparkSession, query: str, claim: str) -> list[DataFrame]:
    """Returns the query with and without the claim, after both have given the same rows."""
    frames = [spark.sql(query.format(clause)) for clause in (claim, "")]
    claimed, plain = (sorted(map(tuple, frame.collect())) for frame in frames)
    assert claimed == plain
    return frames


@pytest.mark.parametrize("kind", ["parquet", "orc", "json"])
def test_rows_units_and_vectors(spark: SparkSession, kind: str) -> None:
    spark.sql(
        f"CREATE TABLE t USING {kind} PARTITIONED BY (day) AS "
        "SELECT /*+ REPARTITION(2) */ id AS v, id % 3 AS day FROM range(300)"
    )
    frames = both(
        spark,
        "SELECT day, count(*) AS n, sum(v) AS v FROM t {} WHERE day < 2 GROUP BY day",
        "ASSUME PARTITIONED BY (day)",
    )
    assert [of_table(frame, "t", "numOutputRows") for frame in frames] == [200, 200]
    for metric in ("numFiles", "filesSize", "numPartitions"):
        claimed, plain = (of_table(frame, "t", metric) for frame in frames)
        assert claimed == plain > 0
    assert units(frames[0]) == 2
    batched = f"Batched: {str(kind != 'json').lower()}"
    assert all(batched in plan(frame) for frame in frames)
    assert ("ColumnarToRow" in plan(frames[0])) == (kind != "json")


@pytest.mark.parametrize("held", [False, True], ids=["by a scan", "by groups"])
def test_metrics_of_a_check(spark: SparkSession, *, held: bool) -> None:
    """The check reads the keys by another scan, whose rows do not count for the query."""
    spark.sql(
        "CREATE TABLE t USING parquet AS "
        "SELECT /*+ REPARTITION(3, k) */ id % 20 AS k, id AS v FROM range(300)"
    )
    groups = "SELECT k, count(*) AS n FROM t {} GROUP BY k"
    query = f"SELECT count(*), sum(n) FROM ({groups})" if held else groups
    frames = both(spark, query, "ASSUME PARTITIONED BY (k)")
    assert ("CollectKeys" in plan(frames[0])) == held
    assert [of_table(frame, "t", "numOutputRows") for frame in frames] == [300, 300]
    assert units(frames[0]) == 3
    check = {
        metric: spark._jvm.io.eddyline.spark.assume.Checks.metric(frames[0]._jdf, metric)
        for metric in ("filesChecked", "keysChecked", "checkTime", "fellBack")
    }
    assert held or check["checkTime"] > 0  # ms; by groups it is part of the query
    assert {**check, "checkTime": 0} == {
        "filesChecked": 3,
        "keysChecked": 20,
        "checkTime": 0,
        "fellBack": 0,
    }


def test_a_plan_that_loses_its_pruning(spark: SparkSession) -> None:
    """Spark removes the pruning from the scan where there is no broadcast."""
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.sql(
        "CREATE TABLE t USING parquet PARTITIONED BY (day) AS "
        "SELECT id AS v, id % 3 AS day FROM range(300)"
    )
    spark.sql(
        "CREATE TABLE days USING parquet AS SELECT id AS day, 'd' || id AS name FROM range(3)"
    )
    frames = both(
        spark,
        "SELECT t.day, sum(v) AS v FROM t {} JOIN days ON t.day = days.day "
        "WHERE name = 'd1' GROUP BY t.day",
        "ASSUME PARTITIONED BY (day)",
    )
    assert of_table(frames[0], "t", "numFiles") > 0


def test_dynamic_pruning(spark: SparkSession) -> None:
    """Dynamic pruning skips the files of other values, whose units are empty."""
    spark.sql(
        "CREATE TABLE sales USING parquet PARTITIONED BY (day) AS "
        "SELECT /*+ REPARTITION(2) */ id AS v, id % 5 AS day FROM range(100)"
    )
    spark.sql("CREATE TABLE days USING json AS SELECT id AS day, 'd' || id AS name FROM range(5)")
    frames = both(
        spark,
        "SELECT /*+ BROADCAST(days) */ sales.day, count(*) AS n FROM sales {} "
        "JOIN days ON sales.day = days.day WHERE name = 'd3' GROUP BY sales.day",
        "ASSUME PARTITIONED BY (day)",
    )
    assert ["hashpartitioning" in plan(frame) for frame in frames] == [False, True]
    assert all("dynamicpruningexpression(day" in plan(frame) for frame in frames)
    assert [claim.outcome for claim in why(frames[0]).claims] == ["USED"]
    assert units(frames[0]) == 5
    assert [of_table(frame, "sales", "numFiles") for frame in frames] == [2, 2]
