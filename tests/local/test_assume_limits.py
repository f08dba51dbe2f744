"""Limits of checks: too many keys, a bad folder, and verdicts of another session."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import why
from local.assume_files import GROUPS, checked, files, listed, run, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

FOLDER = "spark.eddyline.assume.verdictLocation"


@contextmanager
def max_result_size(spark: SparkSession, size: str) -> Iterator[None]:
    """Sets maxResultSize, which Spark reads again for each stage, and resets it afterwards."""
    conf = spark.sparkContext._jsc.sc().conf()
    before = conf.get("spark.driver.maxResultSize", "1g")
    conf.set("spark.driver.maxResultSize", size)
    try:
        yield
    finally:
        conf.set("spark.driver.maxResultSize", before)


@pytest.mark.parametrize(
    ("limit", "found"),
    [
        ("20000", "not proven, more than 20000 keys"),
        ("20000000", "not proven, its keys exceed spark.driver.maxResultSize"),
    ],
)
def test_more_keys_than_the_driver_takes(
    spark: SparkSession, tmp_path: Path, limit: str, found: str
) -> None:
    rows = spark.range(180_000).selectExpr("id AS k", "id AS v")
    rows.repartition(12, "k").write.parquet(str(tmp_path / "t"))
    spark.read.parquet(str(tmp_path / "t")).createOrReplaceTempView("t")
    spark.conf.set("spark.eddyline.assume.check.maxKeys", limit)
    frame = spark.sql(
        "SELECT count(*), sum(n) FROM "
        "(SELECT k, count(*) AS n FROM t ASSUME PARTITIONED BY (k) WHERE v >= 0 GROUP BY k)"
    )
    with max_result_size(spark, "1m"):
        assert tuple(frame.collect()[0]) == (180_000, 180_000)
    assert {claim.verdict for claim in why(frame).claims} == {found}
    assert checked(frame, "fellBack") == 1


@pytest.mark.since("4.2")
def test_a_layout_of_more_keys_than_the_driver_takes(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    for name in "ab":
        spark.sql(
            f"CREATE TABLE {name} USING parquet AS "
            "SELECT /*+ REPARTITION(4, k) */ id AS k FROM range(180000)"
        )
    side = "{0} ASSUME PARTITIONED BY (k) LAYOUT l"
    query = f"SELECT count(*) FROM {side.format('a')} JOIN {side.format('b')} ON a.k = b.k"
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    with max_result_size(spark, "1m"), pytest.raises(AnalysisException) as error:
        spark.sql(query).collect()
    assert error.value.getCondition() == "EDDYLINE_ASSUME.LAYOUT_NOT_PROVEN"
    assert error.value.getMessageParameters()["reason"] == (
        "their keys exceed spark.driver.maxResultSize"
    )


@pytest.mark.parametrize("folder", ["", "x:y", "a b:c"])
def test_a_folder_that_is_none(spark: SparkSession, tmp_path: Path, folder: str) -> None:
    spark.conf.set(FOLDER, folder)
    files(spark, tmp_path / "t", [1, 1, 2], [3, 4, 3])
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("holds", {1: 2, 2: 1, 3: 2, 4: 1})


def test_a_folder_of_one_session(spark: SparkSession, tmp_path: Path) -> None:
    """Verdicts in a folder of one session's choice are not used by other sessions."""
    path = tmp_path / "t"
    files(spark, path, [1, 1], [2, 2])
    spark.conf.set(FOLDER, str(tmp_path / "verdicts"))
    assert verdict(run(spark)[0]) == "holds"
    forged = path / "1.json"
    status = forged.stat()
    forged.write_text(forged.read_text().replace("2", "1"))  # now the stored verdict is false
    os.utime(forged, ns=(status.st_atime_ns, status.st_mtime_ns))
    spark._jvm.io.eddyline.spark.assume.Checks.forget()
    listed(spark, path)
    assert sorted(map(tuple, spark.sql(GROUPS).collect())) == [(1, 2), (1, 2)]  # it is used

    other = spark.newSession()
    spark.conf.unset(FOLDER)
    for session in (other, spark):
        listed(session, path)
        assert session.sql(GROUPS).collect() == [(1, 4)]


def test_strict_is_about_the_plan_that_was_made(spark: SparkSession) -> None:
    """Strict mode is about the planned query, as adaptive execution depends on the stages."""
    spark.conf.set("spark.eddyline.assume.strict", "true")
    spark.conf.set("spark.eddyline.assume.force", "true")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    spark.conf.set("spark.sql.adaptive.autoBroadcastJoinThreshold", "10MB")
    spark.sql(
        "CREATE TABLE a USING parquet AS "
        "SELECT /*+ REPARTITION(2, k) */ id % 9 AS k, id AS v FROM range(90)"
    )
    query = (
        "SELECT x.v, y.n FROM a AS x {} JOIN "
        "(SELECT k, count(*) AS n FROM a GROUP BY k) AS y ON x.k = y.k"
    )
    claimed = query.format("ASSUME PARTITIONED BY (k) INTO 2 PARTITIONS USING HASH SPARK")
    frame = spark.sql(claimed)
    assert "USED" in [claim.outcome for claim in why(frame).claims]
    assert sorted(frame.collect()) == sorted(spark.sql(query.format("")).collect())
    assert "BroadcastHashJoin" in str(frame._jdf.queryExecution().executedPlan())


@pytest.mark.parametrize("adaptive", ["true", "false"])
@pytest.mark.parametrize("both", [True, False])
@pytest.mark.parametrize("kind", ["localCheckpoint", "checkpoint"])
def test_a_layout_below_a_checkpoint(
    spark: SparkSession, tmp_path: Path, kind: str, *, both: bool, adaptive: str
) -> None:
    """The layout cannot be checked against another side, so Spark shuffles and loses no row."""
    spark.sparkContext.setCheckpointDir(str(tmp_path))
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    spark.conf.set("spark.eddyline.assume.force", "true")
    sides = []
    for name, spread in (("lx", "k"), ("ly", "j")):
        spark.sql(
            f"CREATE TABLE {name} USING parquet AS "
            f"SELECT /*+ REPARTITION(4, {spread}) */ * "
            "FROM (SELECT id % 20 AS k, id % 20 + 1 AS j FROM range(100))"
        )
        side = spark.sql(
            f"SELECT k, count(*) AS n FROM {name} ASSUME PARTITIONED BY (k) LAYOUT z GROUP BY k"
        )
        sides.append(getattr(side, kind)() if both or name == "lx" else side)
    assert sides[0].join(sides[1], "k").count() == 20
