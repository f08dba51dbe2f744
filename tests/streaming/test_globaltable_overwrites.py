"""Global tables over files that Spark jobs append to and overwrite, in every way."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from waiting import eventually

from .globaltable_harness import (
    SOON,
    TABLE_FORM,
    Lookups,
    a_part,
    await_probe,
    create,
    described,
    failing,
    folder_of,
    overwrite,
    reaches,
    shown,
    touch,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_files_of_a_job_that_runs(spark: SparkSession, stream: Lookups) -> None:
    """What a job writes to its folder makes no table older; what it moves waits for its end."""
    create(spark, SOON)
    folder = folder_of(spark, "base")
    stream.start()
    assert stream.see(1, 5) == [(1, "v1"), (5, None)]
    (folder / "_temporary").mkdir()
    await_probe(spark, after_ms=500)
    assert (shown(spark).status, described(spark)["failures"]) == ("OK", "0")
    job = spark.sql("SELECT 5 AS k, 'v1' AS v").coalesce(1)
    job.write.parquet(str(folder.with_name("job")))
    part = a_part(folder.with_name("job"))
    touch(part, 1)
    part.rename(folder / part.name)
    failing(spark, "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED")
    assert stream.see(5) == [(5, None)]
    (folder / "_temporary").rmdir()
    touch(folder / "_SUCCESS", 2)
    reaches(spark, 2)
    assert stream.see(1, 5) == [(1, "v1"), (5, "v1")]
    shutil.rmtree(folder.with_name("job"))


def test_every_way_to_overwrite(spark: SparkSession, stream: Lookups, tmp_path: Path) -> None:
    create(spark, SOON)
    other = spark.newSession()
    folder = folder_of(spark, "base")
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    overwrite(other, "v2")
    reaches(spark, 2)
    assert stream.see(1) == [(1, "v2")]
    other.sql(f"INSERT OVERWRITE DIRECTORY '{folder}' USING parquet SELECT 1 AS k, 'v3' AS v")
    reaches(spark, 3)
    assert stream.see(1) == [(1, "v3")]
    frame = other.sql("SELECT 1 AS k, 'v4' AS v")
    frame.write.mode("overwrite").parquet(str(folder))
    reaches(spark, 4)
    assert stream.see(1) == [(1, "v4")]
    frame.selectExpr("k", "'v5' AS v").write.parquet(str(tmp_path / "new"))
    shutil.rmtree(folder)
    (tmp_path / "new").rename(folder)
    reaches(spark, 5)
    assert stream.see(1) == [(1, "v5")]


def test_the_table_form_overwritten(spark: SparkSession, stream: Lookups) -> None:
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    spark.sql(TABLE_FORM.format(clauses=SOON))
    stream.start()
    assert stream.see(1) == [(1, None)]
    for number, session in enumerate([spark, spark.newSession()], 2):
        session.sql(f"INSERT OVERWRITE g VALUES (1, 'v{number}')")
        reaches(spark, number)
        assert stream.see(1) == [(1, f"v{number}")]
    with pytest.raises(PySparkException):
        spark.sql("INSERT INTO g VALUES (1, 'again'), (2, raise_error('no'))")
    spark.sql("INSERT INTO g VALUES (2, 'w')")
    reaches(spark, 4)
    assert stream.see(1, 2) == [(1, "v3"), (2, "w")]


def test_partitions_in_other_places(spark: SparkSession, stream: Lookups, tmp_path: Path) -> None:
    """A folder beside the table's has a name with the same prefix."""
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    home = tmp_path / "home"
    spark.sql(
        "CREATE TABLE base (k INT, v STRING, p INT) USING parquet PARTITIONED BY (p) "
        f"LOCATION '{home}'"
    )
    spark.sql("INSERT INTO base PARTITION (p = 0) VALUES (0, 'here')")
    spark.sql(f"ALTER TABLE base ADD PARTITION (p = 1) LOCATION '{tmp_path}/home-too/one'")
    spark.sql("INSERT INTO base PARTITION (p = 1) VALUES (1, 'v1')")
    spark.sql(f"CREATE GLOBAL TABLE g PRIMARY KEY (k) {SOON} AS SELECT k, v FROM base")
    stream.start()
    assert stream.see(0, 1) == [(0, "here"), (1, "v1")]
    frame = spark.sql("SELECT 1 AS k, 'v2' AS v")
    frame.write.mode("overwrite").parquet(f"{tmp_path}/home-too/one")
    reaches(spark, 2)
    assert stream.see(0, 1) == [(0, "here"), (1, "v2")]
    spark.sql("ALTER TABLE base DROP PARTITION (p = 0)")
    reaches(spark, 3)
    assert stream.see(0, 1) == [(0, None), (1, "v2")]


def test_a_partition_that_is_about_to_be_overwritten(spark: SparkSession, stream: Lookups) -> None:
    """An overwrite removes its folder before the query shuffles, which tells of no job yet."""
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    spark.sql("CREATE TABLE base (k INT, v STRING, p INT) USING parquet PARTITIONED BY (p)")
    spark.sql("INSERT INTO base VALUES (0, 'v1', 0), (1, 'v1', 1)")
    spark.sql(f"CREATE GLOBAL TABLE g PRIMARY KEY (k) {SOON} AS SELECT k, v FROM base")
    folder = folder_of(spark, "base")
    stream.start()
    assert stream.see(0, 1) == [(0, "v1"), (1, "v1")]
    shutil.rmtree(folder / "p=1")
    for _ in range(3):
        await_age(spark, 500)
        assert stream.see(0, 1) == [(0, "v1"), (1, "v1")]
    spark.sql("INSERT OVERWRITE base PARTITION (p = 1) SELECT 1, 'v2'")
    reaches(spark, 2)
    assert stream.see(0, 1) == [(0, "v1"), (1, "v2")]


def await_age(spark: SparkSession, more_ms: int) -> None:
    """Waits until the version has become older, since no probe confirms it."""
    before = shown(spark).age_ms
    eventually(lambda: shown(spark).age_ms > before + more_ms)


def test_a_folder_that_is_written_by_its_path(
    spark: SparkSession, stream: Lookups, tmp_path: Path
) -> None:
    """The temporary files of the job lie in the folder of the partition."""
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    spark.sql("SELECT 1 AS k, 'v1' AS v").write.parquet(str(tmp_path / "base/p=1"))
    spark.sql(
        f"CREATE TABLE base (k INT, v STRING, p INT) USING parquet OPTIONS (path '{tmp_path}/base')"
    )
    spark.sql(f"CREATE GLOBAL TABLE g PRIMARY KEY (k) {SOON} AS SELECT k, v FROM base")
    stream.start()
    assert stream.see(1) == [(1, "v1")]
    spark.sql("SELECT 2 AS k, 'v2' AS v").write.parquet(str(tmp_path / "job"))
    temporary = tmp_path / "base/p=2/_temporary"
    temporary.mkdir(parents=True)
    part = a_part(tmp_path / "job")
    part.rename(temporary.parent / part.name)
    failing(spark, "EDDYLINE_GLOBAL_TABLE.NOT_COMMITTED")
    temporary.rmdir()
    reaches(spark, 2)
    assert stream.see(1, 2) == [(1, "v1"), (2, "v2")]
