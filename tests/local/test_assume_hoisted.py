"""Claims that are checked by the groups of their own stage, before any row leaves it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import why

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("adaptive")

CLAIM = "t ASSUME PARTITIONED BY (k)"
GROUPS = "SELECT k, count(*) AS n FROM {t} GROUP BY k"
HELD = {
    "sorted": f"{GROUPS} ORDER BY k",
    "totals": f"SELECT count(*), sum(n) FROM ({GROUPS})",
    "keyless": "SELECT n, count(*) FROM (SELECT count(*) AS n FROM {t} GROUP BY k) GROUP BY n",
    "distinct": "SELECT count(*) FROM (SELECT DISTINCT k FROM {t})",
    "distinct values": "SELECT max(n) FROM (SELECT count(DISTINCT v) AS n FROM {t} GROUP BY k)",
    "having": f"SELECT count(*) FROM ({GROUPS} HAVING n > 2)",
    "window": f"SELECT *, row_number() OVER (ORDER BY n, k) FROM ({GROUPS})",
    "repartitioned": f"SELECT /*+ REPARTITION(3) */ * FROM ({GROUPS})",
    "more keys": "SELECT max(n) FROM (SELECT count(*) AS n FROM {t} GROUP BY v, k)",
    "exploded groups": f"SELECT count(*) FROM (SELECT explode(array(k, n)) FROM ({GROUPS}))",
}
FREE = {
    "no Exchange": GROUPS,
    "filtered": "SELECT count(*) FROM (SELECT k FROM {t} WHERE v > 3 GROUP BY k)",
    "limited": f"SELECT count(*) FROM ({GROUPS} LIMIT 3)",
    "window below": "SELECT count(*) FROM "
    "(SELECT row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM {t}) WHERE r = 1",
    "exploded rows": "SELECT count(*) FROM "
    "(SELECT k FROM {t} LATERAL VIEW explode(array_repeat(v, INT(v % 2))) AS x GROUP BY k)",
}
FALSE = re.compile(r"false, \(\d\) is in two units")


def files(spark: SparkSession, path: Path, *, holds: bool) -> None:
    """Creates a relation t of 60 rows with 7 keys in 3 files."""
    rows = spark.range(60).selectExpr("id % 7 AS k", "id AS v")
    rows.repartition(3, "k" if holds else "v").write.parquet(str(path))
    listed(spark, path)


def listed(spark: SparkSession, path: Path) -> None:
    spark.read.parquet(str(path)).createOrReplaceTempView("t")


def plan(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().executedPlan())


def metric(frame: DataFrame, name: str) -> int:
    return int(frame.sparkSession._jvm.io.eddyline.spark.assume.Checks.metric(frame._jdf, name))


def verdict(frame: DataFrame) -> str | None:
    (found,) = {claim.verdict for claim in why(frame).claims}
    return found


@pytest.mark.parametrize("shape", [*HELD, *FREE])
@pytest.mark.parametrize("holds", [True, False], ids=["true", "false"])
def test_shapes(spark: SparkSession, tmp_path: Path, shape: str, *, holds: bool) -> None:
    """The groups are checked where an Exchange holds the rows back, else the files."""
    files(spark, tmp_path / "t", holds=holds)
    query = {**HELD, **FREE}[shape]
    expected = sorted(map(tuple, spark.sql(query.format(t="t")).collect()))
    frame = spark.sql(query.format(t=CLAIM))
    assert sorted(map(tuple, frame.collect())) == expected
    assert ("CollectKeys" in plan(frame)) == ("CheckedExchange" in plan(frame)) == (shape in HELD)
    assert metric(frame, "fellBack") == (not holds)
    assert metric(frame, "filesChecked") == 3
    assert metric(frame, "keysChecked") >= 7
    found = verdict(frame)
    assert found == "holds" if holds else FALSE.fullmatch(found or "")

    again = spark.sql(query.format(t=CLAIM))
    assert sorted(map(tuple, again.collect())) == expected
    assert metric(again, "filesChecked") == 0
    assert verdict(again) == found


@pytest.mark.parametrize("shape", ["sorted", "totals", "repartitioned"])
def test_no_row_comes_before_the_error(spark: SparkSession, tmp_path: Path, shape: str) -> None:
    files(spark, tmp_path / "t", holds=False)
    claim = f"{CLAIM} ENFORCED ON VIOLATION FAIL"
    frame = spark.sql(HELD[shape].format(t=claim))
    with pytest.raises(AnalysisException) as error:
        next(frame.toLocalIterator())
    assert error.value.getCondition() == "EDDYLINE_ASSUME.VIOLATED"
    assert error.value.getQueryContext()[0].fragment().startswith("ASSUME PARTITIONED BY")


def test_an_append_reads_the_new_file(spark: SparkSession, tmp_path: Path) -> None:
    """A verdict on some files is worth more than saving the scan by checking groups."""
    files(spark, tmp_path / "t", holds=True)
    query = HELD["totals"].format(t=CLAIM)
    assert spark.sql(query).collect()[0][0] == 7
    spark.sql("SELECT 7L AS k, 1L AS v").coalesce(1).write.mode("append").parquet(
        str(tmp_path / "t")
    )
    listed(spark, tmp_path / "t")
    frame = spark.sql(query)
    assert frame.collect()[0][0] == 8
    assert (metric(frame, "filesChecked"), verdict(frame)) == (1, "holds")

    spark.sql("SELECT 3L AS k, 1L AS v").coalesce(1).write.mode("append").parquet(
        str(tmp_path / "t")
    )
    listed(spark, tmp_path / "t")
    frame = spark.sql(query)
    assert tuple(frame.collect()[0]) == (8, 62)
    assert (metric(frame, "filesChecked"), metric(frame, "fellBack")) == (1, 1)
    assert verdict(frame) == "false, (3) is in two units"


def test_files_that_change_before_they_are_read(spark: SparkSession, tmp_path: Path) -> None:
    """The groups prove nothing about files that have changed since they were listed."""
    rows = {"0": [1, 1, 2], "1": [3, 4, 3]}
    for name, keys in rows.items():
        (tmp_path / f"{name}.json").write_text("".join(f'{{"k": {key}}}\n' for key in keys))
    spark.read.schema("k INT").json(str(tmp_path)).createOrReplaceTempView("t")
    frame = spark.sql(HELD["totals"].format(t=CLAIM))
    assert "CheckAssumption" in plan(frame)
    file = tmp_path / "1.json"
    file.write_text(file.read_text().replace("4", "2"))
    os.utime(file, (1_700_000_000, 1_700_000_000))
    assert tuple(frame.collect()[0]) == (3, 6)
    assert verdict(frame) == "not proven, the files have changed since they were listed"
    again = spark.sql(HELD["totals"].format(t=CLAIM))
    assert tuple(again.collect()[0]) == (3, 6)
    assert metric(again, "filesChecked") == 0


def test_a_table_that_grows_before_it_is_read(spark: SparkSession) -> None:
    """New files are read with the table, and the groups of the planned units are not compared."""
    spark.sql(
        "CREATE TABLE grown USING parquet AS "
        "SELECT /*+ REPARTITION(3, k) */ id % 7 AS k, id AS v FROM range(60)"
    )
    relation = "grown ASSUME PARTITIONED BY (k)"
    query = HELD["totals"].format(t=relation)
    frame = spark.sql(query)
    assert "CheckAssumption" in plan(frame)
    spark.sql("INSERT INTO grown SELECT /*+ COALESCE(1) */ id % 7, id FROM range(7)")
    assert tuple(frame.collect()[0]) == (7, 67)
    assert metric(frame, "filesChecked") == 4
    assert metric(frame, "fellBack") == 1


def test_rows_that_are_dropped_for_another_column(spark: SparkSession, tmp_path: Path) -> None:
    """Rows that a reader drops for a column of this query may exist for another query."""
    (tmp_path / "1.csv").write_text("1,1\n2,2\n")
    (tmp_path / "2.csv").write_text("1,x\n3,3\n")
    frame = spark.read.schema("k INT, v INT").option("mode", "DROPMALFORMED").csv(str(tmp_path))
    frame.createOrReplaceTempView("t")
    for query in (
        "SELECT count(*), sum(v) FROM (SELECT k, sum(v) AS v FROM {t} GROUP BY k)",
        HELD["totals"],
    ):
        found = spark.sql(query.format(t=CLAIM)).collect()
        assert found == spark.sql(query.format(t="t")).collect()


def test_too_many_keys(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", holds=True)
    query = HELD["totals"].format(t=CLAIM)
    for limit in ("1", "5"):  # too many for a task, and for the driver
        spark.conf.set("spark.eddyline.assume.check.maxKeys", limit)
        frame = spark.sql(query)
        assert tuple(frame.collect()[0]) == (7, 60)
        assert verdict(frame) == f"not proven, more than {limit} keys"
        assert metric(frame, "fellBack") == 1


def test_pruned_partitions(spark: SparkSession, tmp_path: Path) -> None:
    """The groups prove nothing about files that dynamic pruning leaves out."""
    spark.conf.set("spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly", "false")
    rows = spark.range(60).selectExpr("id % 7 AS k", "id AS v", "id % 7 % 3 AS day")
    rows.repartition(3, "day", "k").write.partitionBy("day").parquet(str(tmp_path / "t"))
    listed(spark, tmp_path / "t")
    spark.sql("SELECT 1 AS day").createOrReplaceTempView("days")
    query = (
        "SELECT count(*), sum(n) FROM (SELECT k, count(*) AS n "
        "FROM (SELECT * FROM {t} WHERE day = (SELECT max(day) FROM days)) GROUP BY k)"
    )
    frame = spark.sql(query.format(t=CLAIM))
    assert frame.collect() == spark.sql(query.format(t="t")).collect()
    assert "CollectKeys" not in plan(frame)
