"""Verdicts on files that are added, changed or deleted before, during and after a check."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import SparkRuntimeException

from local.assume_files import GROUPS, checked, files, files_read, listed, rewrite, run, verdict

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CHANGED = "not proven, the files have changed since they were listed"


def test_files_that_come_and_change(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 1, 2], [3, 4, 3])
    assert verdict(run(spark)[0]) == "holds"

    (path / "1.json").write_text((path / "1.json").read_text().replace("4", "2"))
    os.utime(path / "1.json", (1_700_000_000, 1_700_000_000))  # the listing is older than the file
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == (CHANGED, {1: 2, 2: 2, 3: 2})

    listed(spark, path)
    frame, rows, jobs = run(spark)
    assert (verdict(frame), rows) == ("false, (2) is in two units", {1: 2, 2: 2, 3: 2})
    assert run(spark)[1:] == (rows, jobs - 3)  # the check and the two searches for the key

    (path / "0.json").write_text('{"k": 7}\n')
    (path / "2.json").write_text('{"k": 8}\n')
    listed(spark, path)
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("holds", {2: 1, 3: 2, 7: 1, 8: 1})

    (path / "3.json").write_text('{"k": 8}\n')
    listed(spark, path)
    frame, rows, _ = run(spark)
    assert (verdict(frame), rows) == ("false, (8) is in two units", {2: 1, 3: 2, 7: 1, 8: 2})


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_files_that_change_after_the_check(
    spark: SparkSession, tmp_path: Path, adaptive: str
) -> None:
    """Files that were not checked are not read, in one run or when a frame runs again."""
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    files(spark, tmp_path / "t", [1, 1, 2], [3, 4, 3])
    second = tmp_path / "t" / "1.json"
    frame = spark.sql(GROUPS)
    assert len(frame.collect()) == 4
    rows = spark.sql(GROUPS).toLocalIterator()
    assert next(rows).k in {1, 2}
    rewrite(second, "4", "2")
    with pytest.raises(SparkRuntimeException) as error:
        frame.collect()
    assert error.value.getCondition() == "EDDYLINE_ASSUME.FILE_CHANGED"
    assert error.value.getMessageParameters()["file"] == f"file:{second}"
    assert error.value.getQueryContext()[0].fragment() == "ASSUME PARTITIONED BY"
    with pytest.raises(Py4JJavaError, match=r"EDDYLINE_ASSUME\.FILE_CHANGED"):
        list(rows)
    listed(spark, tmp_path / "t")
    assert run(spark)[1] == {1: 2, 2: 2, 3: 2}


@pytest.mark.parametrize("known", [True, False])
def test_a_file_that_changes_while_it_is_read(
    spark: SparkSession, tmp_path: Path, *, known: bool
) -> None:
    """A task is valid only if its files are still as listed when it is done."""
    files(spark, tmp_path / "t", [1, 1, 2], [3, 4, 3])
    if known:
        spark.sql(GROUPS).collect()
    touch = f"reflect('io.eddyline.spark.assume.Checks', 'touch', '{tmp_path / 't' / '1.json'}')"
    relation = "t ASSUME PARTITIONED BY (k)"
    rows = f"SELECT k FROM {relation} WHERE k < 3 OR {touch} IS NOT NULL"
    with pytest.raises(SparkRuntimeException, match="FILE_CHANGED"):
        spark.sql(f"SELECT k, count(*) FROM ({rows}) GROUP BY k").collect()


@pytest.mark.parametrize("known", [True, False])
def test_files_that_are_deleted(spark: SparkSession, tmp_path: Path, *, known: bool) -> None:
    """Deleted files have the effect that they have without the claim: an error or fewer rows."""
    plain = "SELECT k, count(*) AS n FROM t GROUP BY k"
    for ignore in ("false", "true"):
        spark.conf.set("spark.sql.files.ignoreMissingFiles", ignore)
        path = tmp_path / ignore
        files(spark, path, [1, 1, 2], [3, 4, 3], [5])
        if known:
            spark.sql(GROUPS).collect()
        frame = spark.sql(GROUPS)
        assert verdict(frame) is None
        (path / "1.json").unlink()
        if ignore == "true":
            found = {row.k: row.n for row in frame.collect()}
            assert (
                found == {row.k: row.n for row in spark.sql(plain).collect()} == {1: 2, 2: 1, 5: 1}
            )
        else:
            for text in (frame, spark.sql(plain)):
                with pytest.raises(Py4JJavaError, match=r"FAILED_READ_FILE\.FILE_NOT_EXIST"):
                    text.collect()


def test_a_path_that_is_read_twice(spark: SparkSession, tmp_path: Path) -> None:
    files(spark, tmp_path / "t", [1, 1, 2], [3])
    spark.conf.set("spark.sql.files.maxPartitionBytes", "10")
    twice = [str(tmp_path / "t")] * 2
    spark.read.schema("k INT").json(twice).createOrReplaceTempView("t")
    plain = {
        row.k: row.n for row in spark.sql("SELECT k, count(*) AS n FROM t GROUP BY k").collect()
    }
    assert run(spark)[1] == plain


def test_a_partition_that_gets_another_value(spark: SparkSession, tmp_path: Path) -> None:
    """The hash of a row has the value, and the file does not."""
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    rows = spark.range(400).selectExpr("id AS v", "id % 20 AS k", "id % 2 AS day")
    rows.repartition(4, "day", "k").write.partitionBy("day").parquet(str(tmp_path / "t"))
    spark.sql(
        "CREATE TABLE moved (v BIGINT, k BIGINT, day BIGINT) USING parquet PARTITIONED BY (day) "
        f"LOCATION '{tmp_path}/t'"
    )
    spark.sql("ALTER TABLE moved RECOVER PARTITIONS")
    claim = "ASSUME PARTITIONED BY (day, k) INTO 4 PARTITIONS USING HASH SPARK"
    others = "(SELECT 7 * (id % 2) AS day, id % 20 AS k FROM range(40)) AS o"

    def count(clause: str) -> int:
        return spark.sql(f"SELECT * FROM moved {clause} JOIN {others} USING (day, k)").count()

    assert count(claim) == count("") > 0
    spark.sql("ALTER TABLE moved DROP PARTITION (day = 1)")
    spark.sql(f"ALTER TABLE moved ADD PARTITION (day = 7) LOCATION '{tmp_path}/t/day=1'")
    assert count(claim) == count("") > 0


def test_an_append_checks_the_new_files(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 1, 2], [3, 4, 3])
    assert files_read(spark, {1: 2, 2: 1, 3: 2, 4: 1}) == 2

    (path / "2.json").write_text('{"k": 5}\n{"k": 6}\n{"k": 5}\n')
    listed(spark, path)
    frame, rows, _ = run(spark)
    assert rows == {1: 2, 2: 1, 3: 2, 4: 1, 5: 2, 6: 1}
    assert (checked(frame, "filesChecked"), checked(frame, "keysChecked")) == (1, 2)

    (path / "0.json").unlink()  # fewer files, then one more that has a key of a file read long ago
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 1, 5: 2, 6: 1}) == 0
    (path / "3.json").write_text('{"k": 4}\n')
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 2, 5: 2, 6: 1}, "false, (4) is in two units") == 1

    (path / "4.json").write_text('{"k": 9}\n')  # what is false of some files is false of more
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 2, 5: 2, 6: 1, 9: 1}, "false, (4) is in two units") == 0

    (path / "3.json").unlink()
    listed(spark, path)
    assert files_read(spark, {3: 2, 4: 1, 5: 2, 6: 1, 9: 1}) == 1


def test_a_rewritten_file_is_checked_anew(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    files(spark, path, [1, 2], [3, 4], [5])
    assert files_read(spark, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}) == 3
    (path / "1.json").write_text('{"k": 3}\n{"k": 2}\n')  # text of the same length
    os.utime(path / "1.json", (1_700_000_000, 1_700_000_000))
    listed(spark, path)
    assert files_read(spark, {1: 1, 2: 2, 3: 1, 5: 1}, "false, (2) is in two units") == 1


def test_hashes_that_are_given_up(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "t"
    spark.conf.set("spark.eddyline.assume.check.maxKeys", "3")
    files(spark, path, [1, 2], [3])
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 2
    files(spark, tmp_path / "u", [1, 2], [3])
    spark.read.schema("k LONG").json(str(tmp_path / "u")).createOrReplaceTempView("t")
    assert files_read(spark, {1: 1, 2: 1, 3: 1}) == 2
    spark.conf.unset("spark.eddyline.assume.check.maxKeys")
    (path / "2.json").write_text('{"k": 4}\n')
    listed(spark, path)
    assert files_read(spark, {1: 1, 2: 1, 3: 1, 4: 1}) == 3
