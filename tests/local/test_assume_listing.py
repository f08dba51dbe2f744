"""The files that are checked are those that the query reads, listed when it runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, SparkRuntimeException

from eddyline import why
from local.assume_files import verdict

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("adaptive")

CLAIMS = ["", "ENFORCED ON VIOLATION FAIL"]


@pytest.fixture(autouse=True)
def settings(spark: SparkSession) -> None:
    spark.conf.set("spark.eddyline.assume.force", "true")


def rows(frame: DataFrame) -> list[str]:
    return sorted(str(tuple(row)) for row in frame.collect())


def by_day(spark: SparkSession) -> None:
    """Creates a table of files by day, which have no common key but 2."""
    spark.sql("CREATE TABLE e (k INT, v INT, d INT) USING parquet PARTITIONED BY (d)")
    for day, keys in ((1, "(0, 1), (1, 1), (2, 1)"), (2, "(2, 1), (3, 1), (4, 1)")):
        spark.sql(
            f"INSERT INTO e PARTITION (d = {day}) SELECT /*+ COALESCE(1) */ * FROM VALUES {keys}"
        )


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_partition_that_goes_after_the_plan(spark: SparkSession, claim: str) -> None:
    by_day(spark)
    spark.sql("INSERT INTO e PARTITION (d = 3) VALUES (9, 1)")
    frame = spark.sql(f"SELECT k, count(*) FROM e ASSUME PARTITIONED BY (k) {claim} GROUP BY k")
    assert verdict(frame) is None
    spark.sql("ALTER TABLE e DROP PARTITION (d = 1)")
    assert rows(frame) == ["(2, 1)", "(3, 1)", "(4, 1)", "(9, 1)"]
    assert verdict(frame) == "holds"


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_partition_that_moves_after_the_plan(
    spark: SparkSession, claim: str, tmp_path: Path
) -> None:
    """The check is about the files that are read, and no others."""
    by_day(spark)
    elsewhere = tmp_path / "elsewhere"
    spark.sql("SELECT 3 AS k, 1 AS v").write.mode("overwrite").parquet(str(elsewhere))
    frame = spark.sql(f"SELECT k, count(*) FROM e ASSUME PARTITIONED BY (k) {claim} GROUP BY k")
    assert why(frame).claims
    spark.sql(f"ALTER TABLE e PARTITION (d = 1) SET LOCATION '{elsewhere}'")
    if claim:
        with pytest.raises(AnalysisException, match="VIOLATED"):
            frame.collect()
    else:
        assert rows(frame) == ["(2, 1)", "(3, 2)", "(4, 1)"]


def test_a_partition_that_goes_while_the_query_runs(spark: SparkSession) -> None:
    """A scalar subquery drops the partition before the scan lists its files."""
    by_day(spark)
    drop = "reflect('io.eddyline.spark.assume.Checks', 'run', 'ALTER TABLE e DROP PARTITION (d=1)')"
    query = (
        "SELECT k, count(*) AS n FROM e ASSUME PARTITIONED BY (k) "
        f"WHERE v > (SELECT IF({drop} IS NULL, 9, 0) FROM range(1)) GROUP BY k"
    )
    found = rows(spark.sql(query))
    assert len({row.split(",")[0] for row in found}) == len(found)


@pytest.mark.parametrize("claim", ["", "NOT ENFORCED", "INTO 2 PARTITIONS USING HASH SPARK"])
@pytest.mark.parametrize("change", ["INTO", "OVERWRITE"])
def test_rows_that_come_after_the_plan(spark: SparkSession, claim: str, change: str) -> None:
    """The query reads the rows at the time it runs, as it does without the claim."""
    spark.sql("CREATE TABLE t USING parquet AS SELECT /*+ REPARTITION(2, k) */ * FROM (VALUES "
              "(1), (2), (3), (4), (5), (6)) AS v(k)")  # fmt: skip
    query = "SELECT k, count(*) AS n FROM t {} GROUP BY k"
    frame = spark.sql(query.format(f"ASSUME PARTITIONED BY (k) {claim}"))
    assert why(frame).claims[0].outcome == "USED"
    spark.sql(
        f"INSERT {change} t SELECT /*+ REPARTITION(2, k) */ * FROM VALUES (7), (8), (9) AS v(k)"
    )
    assert rows(frame) == rows(spark.sql(query.format("")))


def test_rows_of_text_that_come_after_the_plan(spark: SparkSession) -> None:
    """Where keys may depend on other columns, it is told without a listing whether they do."""
    spark.sql("CREATE TABLE t USING csv AS SELECT /*+ REPARTITION(2, k) */ * FROM (VALUES "
              "(1), (2), (3), (4), (5), (6)) AS v(k)")  # fmt: skip
    query = "SELECT n, count(*) AS m FROM (SELECT k, count(*) AS n FROM t {} GROUP BY k) GROUP BY n"
    frame = spark.sql(query.format("ASSUME PARTITIONED BY (k)"))
    assert why(frame).claims
    spark.sql("INSERT INTO t SELECT /*+ REPARTITION(2, k) */ * FROM VALUES (7), (8), (9) AS v(k)")
    assert rows(frame) == ["(1, 9)"]
    assert "CollectKeys" in frame._jdf.queryExecution().executedPlan().toString()


def test_a_table_without_files_at_first(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE t (k INT) USING parquet")
    frame = spark.sql("SELECT k, count(*) FROM t ASSUME PARTITIONED BY (k) GROUP BY k")
    assert why(frame).claims
    spark.sql("INSERT INTO t SELECT /*+ REPARTITION(2) */ * FROM VALUES (1), (1), (1), (1)")
    assert rows(frame) == ["(1, 4)"]


def test_a_unit_that_the_plan_has_not(spark: SparkSession) -> None:
    """A plan by units fails on a new unit; planned units may get more files, or lose all."""
    by_day(spark)
    query = "SELECT d, count(*) AS n FROM e ASSUME PARTITIONED BY (d) GROUP BY d"
    frames = [spark.sql(query) for _ in range(3)]
    assert all(why(frame).claims for frame in frames)
    spark.sql("INSERT INTO e PARTITION (d = 2) VALUES (5, 5)")
    assert rows(frames[0]) == ["(1, 3)", "(2, 4)"]
    spark.sql("ALTER TABLE e DROP PARTITION (d = 1)")
    assert rows(frames[1]) == ["(2, 4)"]
    spark.sql("INSERT INTO e PARTITION (d = 3) VALUES (6, 6)")
    with pytest.raises(SparkRuntimeException) as error:
        frames[2].collect()
    assert error.value.getCondition() == "EDDYLINE_ASSUME.PLAN_OUTDATED"
    assert error.value.getMessageParameters() == {
        "keys": "d", "relation": "spark_catalog.default.e", "file": "d=3"
    }  # fmt: skip
    assert error.value.getQueryContext()[0].fragment() == "ASSUME PARTITIONED BY"
    assert rows(spark.sql(query)) == ["(2, 4)", "(3, 1)"]


def test_files_that_come_while_an_assumption_is_checked(spark: SparkSession) -> None:
    """CHECK ASSUMPTION keeps a verdict on the files that its job has read."""
    by_day(spark)
    spark.sql("ALTER TABLE e DROP PARTITION (d = 1)")
    warehouse = spark.sql("DESCRIBE EXTENDED e").where("col_name = 'Location'").head().data_type
    faults = spark._jvm.io.eddyline.spark.faults.FileFaults
    faults.hold(warehouse.removeprefix("file:"))
    with ThreadPoolExecutor(1) as pool:
        try:
            check = pool.submit(spark.sql, "CHECK ASSUMPTION ON e PARTITIONED BY (k)")
            faults.awaitReader()
            spark.sql("INSERT INTO e PARTITION (d = 4) VALUES (2, 2)")
        finally:
            faults.mend()
        check.result()
    frame = spark.sql("SELECT k, count(*) FROM e ASSUME PARTITIONED BY (k) GROUP BY k")
    assert rows(frame) == ["(2, 2)", "(3, 1)", "(4, 1)"]
