"""START and RESTART resolve a query by the catalog at the time, as its first START did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eddyline import streaming_queries
from waiting import eventually

from .streamingquery_harness import (
    COPY,
    NOW,
    arrive,
    batch_begins,
    copied,
    finish,
    one,
    refused,
    rows,
    status,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("events_and_copy")

JOIN = f"START STREAMING QUERY q {NOW} AS INSERT INTO copy SELECT k, n FROM STREAM events JOIN "


@pytest.fixture
def dim(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE dim (k INT, n INT) USING parquet")
    spark.sql("INSERT INTO dim VALUES (1, 100)")


@pytest.mark.usefixtures("dim")
def test_a_static_table_is_read_as_it_is_now(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(spark, JOIN + "dim USING (k)")
    other = spark.newSession()
    other.sql("INSERT INTO dim VALUES (2, 200)")
    arrive(spark, 2)
    finish(spark, "RESTART STREAMING QUERY q")
    other.sql("INSERT OVERWRITE dim VALUES (1, 101), (2, 201)")
    arrive(spark, 2)
    finish(spark, "START STREAMING QUERY q")
    assert rows(spark) == [(1, 100), (2, 200), (2, 201)]


@pytest.mark.parametrize("call", ["plus", "by_another"])
def test_a_function_is_called_as_it_is_now(spark: SparkSession, call: str) -> None:
    spark.sql("CREATE FUNCTION plus(v INT) RETURNS INT RETURN v + 10")
    spark.sql("CREATE FUNCTION by_another(v INT) RETURNS INT RETURN plus(v) + 0")
    try:
        arrive(spark, 1)
        finish(
            spark,
            f"START STREAMING QUERY q {NOW} AS INSERT INTO copy SELECT k, {call}(v) "
            "FROM STREAM events",
        )
        for key, statement in enumerate(("RESTART", "START"), start=2):
            spark.sql(f"CREATE OR REPLACE FUNCTION plus(v INT) RETURNS INT RETURN v + {key * 10}")
            arrive(spark, key)
            finish(spark, f"{statement} STREAMING QUERY q")
    finally:
        spark.sql("DROP FUNCTION plus")
        spark.sql("DROP FUNCTION by_another")
    assert rows(spark) == [(1, 11), (2, 22), (3, 33)]


@pytest.mark.usefixtures("dim")
def test_a_table_that_was_gone_is_found_again(spark: SparkSession) -> None:
    """It is named in a join, a CTE, and subqueries of three kinds."""
    side = """
        (WITH c AS (SELECT * FROM dim)
         SELECT c.k, c.n FROM c JOIN dim ON c.k = dim.k
         WHERE c.n = (SELECT max(n) FROM dim) AND EXISTS (SELECT 1 FROM dim WHERE k = 1)
           AND c.n IN (SELECT n FROM dim))
        USING (k)
    """
    arrive(spark, 1)
    finish(spark, JOIN + side)
    spark.sql("DROP TABLE dim")
    assert refused(spark, "RESTART STREAMING QUERY q") == "TABLE_OR_VIEW_NOT_FOUND"
    assert status(spark) == "FINISHED"
    spark.sql("CREATE TABLE dim (more STRING, n INT, k INT) USING parquet")
    spark.sql("INSERT INTO dim VALUES ('x', 100, 1)")
    arrive(spark, 1)
    finish(spark, "RESTART STREAMING QUERY q")
    assert rows(spark) == [(1, 100), (1, 100)]


def test_a_sink_made_again_with_other_columns(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(
        spark,
        f"START STREAMING QUERY q {NOW} AS INSERT INTO copy BY NAME SELECT k, v FROM STREAM events",
    )
    spark.sql("DROP TABLE copy")
    spark.sql("CREATE TABLE copy (v BIGINT, k INT, more STRING) USING parquet")
    arrive(spark, 2)
    finish(spark, "START STREAMING QUERY q")
    assert rows(spark) == [(2, 2, None)]
    spark.sql("DROP TABLE copy")
    spark.sql("CREATE TABLE copy (v BIGINT) USING parquet")
    condition = "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"
    assert refused(spark, "START STREAMING QUERY q") == condition
    assert status(spark) == "FINISHED"


def test_a_source_made_again(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q {NOW} {COPY}")
    spark.sql("DROP TABLE events")
    assert refused(spark, "START STREAMING QUERY q") == "TABLE_OR_VIEW_NOT_FOUND"
    spark.sql("CREATE TABLE events (v INT, k INT) USING parquet")
    spark.sql("INSERT INTO events VALUES (20, 2)")
    finish(spark, "START STREAMING QUERY q")
    assert rows(spark) == [(1, 1), (2, 20)]


def test_a_query_that_cannot_start_again_is_not_stopped(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE more (k INT, v INT) USING parquet")
    run = one(
        spark,
        "START STREAMING QUERY q AS INSERT INTO copy "
        "SELECT k, v FROM STREAM events LEFT ANTI JOIN more USING (k)",
    ).run_id
    spark.sql("DROP TABLE more")
    assert refused(spark, "RESTART STREAMING QUERY q") == "TABLE_OR_VIEW_NOT_FOUND"
    assert one(spark, "AWAIT STREAMING QUERY q TIMEOUT 1 MILLISECOND")[1:4:2] == ("RUNNING", run)
    arrive(spark, 1)
    eventually(lambda: copied(spark) == [1])
    spark.sql("CREATE TABLE more (k INT, v INT) USING parquet")
    spark.sql("INSERT INTO more VALUES (2, 2)")
    assert one(spark, "RESTART STREAMING QUERY q").run_id != run
    arrive(spark, 2, 3)
    eventually(lambda: copied(spark) == [1, 3])


def test_a_state_that_no_longer_fits(spark: SparkSession) -> None:
    arrive(spark, 1)
    finish(
        spark,
        f"START STREAMING QUERY q {NOW} AS INSERT INTO copy "
        "SELECT int(k), int(max(v)) FROM STREAM events GROUP BY k EMIT ON CHANGE",
    )
    spark.sql("DROP TABLE events")
    spark.sql("CREATE TABLE events (k STRING, v INT) USING parquet")
    spark.sql("INSERT INTO events VALUES ('2', 2)")
    spark.sql("RESTART STREAMING QUERY q")
    assert refused(spark, "AWAIT STREAMING QUERY q") == "EDDYLINE_STREAMING_QUERY.FAILED"
    assert "STATE_STORE" in str(streaming_queries(spark)[0].last_error)
    spark.sql("DROP TABLE events")
    spark.sql("CREATE TABLE events (k INT, v INT) USING parquet")
    arrive(spark, 1, 3)
    finish(spark, "START STREAMING QUERY q")
    assert rows(spark) == [(1, 1), (3, 3)], "its state was kept"


def test_what_the_session_had_at_the_start(spark: SparkSession, tmp_path: Path) -> None:
    mine = spark.newSession()
    mine.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    mine.conf.set("spark.sql.ansi.enabled", "false")
    mine.sql("DECLARE VARIABLE plus INT DEFAULT 10")
    mine.sql("CREATE TEMPORARY FUNCTION twice(x INT) RETURNS INT RETURN 2 * x")
    mine.sql("CREATE TEMPORARY VIEW mine AS SELECT *, 7 / 0 AS nothing FROM STREAM events")
    mine.sql("CREATE DATABASE home")
    mine.sql("USE home")
    arrive(spark, 1)
    try:
        finish(
            mine,
            f"START STREAMING QUERY q {NOW} AS INSERT INTO default.copy "
            "SELECT k, twice(v) + plus FROM mine "
            "WHERE current_schema() = 'home' AND nothing IS NULL",
        )
        mine.sql("SET VARIABLE plus = 20")
        mine.sql("DROP TEMPORARY FUNCTION twice")
        mine.sql("DROP VIEW mine")
        mine.sql("USE default")
        mine.conf.set("spark.sql.ansi.enabled", "true")
        arrive(spark, 2)
        finish(spark, "RESTART STREAMING QUERY q")
    finally:
        spark.sql("DROP DATABASE home")
    assert rows(spark) == [(1, 12), (2, 14)]


def test_parameters(spark: SparkSession) -> None:
    arrive(spark, 1)
    start = (
        f"START STREAMING QUERY q {NOW} AS INSERT INTO copy SELECT k, v + :plus FROM STREAM events"
    )
    spark.sql(start, args={"plus": 10})
    spark.sql("AWAIT STREAMING QUERY q")
    by_position = start.replace(" q ", " r ").replace(":plus", "?")
    spark.sql(f"EXECUTE IMMEDIATE '{by_position}' USING 20")
    spark.sql("AWAIT STREAMING QUERY r")
    arrive(spark, 2)
    finish(spark, "RESTART STREAMING QUERY q")
    finish(spark, "RESTART STREAMING QUERY r", "r")
    assert rows(spark) == [(1, 11), (1, 21), (2, 12), (2, 22)]


def test_the_user_is_who_defined_it(spark: SparkSession) -> None:
    assert spark._jvm is not None
    user = spark._jvm.org.apache.spark.sql.catalyst.CurrentUserContext.CURRENT_USER()
    spark.sql("DROP TABLE copy")
    spark.sql("CREATE TABLE copy (k INT, who STRING) USING parquet")
    arrive(spark, 1)
    try:
        user.set("ann")
        query = "AS INSERT INTO copy SELECT k, current_user() FROM STREAM events"
        finish(spark, f"START STREAMING QUERY q {NOW} {query}")
    finally:
        user.remove()
    arrive(spark, 2)
    assert one(spark, "SELECT current_user() AS u").u != "ann"
    finish(spark, "RESTART STREAMING QUERY q")
    assert streaming_queries(spark)[0].user == "ann"
    assert rows(spark) == [(1, "ann"), (2, "ann")]


@pytest.mark.usefixtures("dim")
def test_a_view_that_a_program_made(spark: SparkSession) -> None:
    spark.table("dim").createOrReplaceTempView("seen")
    arrive(spark, 1)
    finish(spark, JOIN + "seen USING (k)")
    spark.newSession().sql("INSERT OVERWRITE dim VALUES (1, 101)")
    arrive(spark, 1)
    finish(spark, "RESTART STREAMING QUERY q")
    assert rows(spark) == [(1, 100), (1, 101)]


def test_the_last_batch_is_seen_by_the_next_run(spark: SparkSession) -> None:
    """A query that reads its own sink reads what it wrote until it was stopped."""
    spark.sql(
        "START STREAMING QUERY q AS INSERT INTO copy SELECT e.k, if(java_method("
        "'java.lang.Thread', 'sleep', 300L) = '', 0, e.v) FROM STREAM events e "
        "LEFT ANTI JOIN copy USING (k)"
    )
    arrive(spark, 1)
    batch_begins(spark)
    spark.sql("RESTART STREAMING QUERY q")
    arrive(spark, 1, 2)
    eventually(lambda: 2 in copied(spark))
    assert copied(spark) == [1, 2]


def test_offsets_that_a_kill_has_left_unfinished(spark: SparkSession, tmp_path: Path) -> None:
    offsets = tmp_path / "q/offsets"
    offsets.mkdir(parents=True)
    (offsets / ".0.0b8e737c-55a8-4e4c-9367-421d8a5956d6.tmp").touch()
    arrive(spark, 1)
    finish(spark, f"START STREAMING QUERY q CHECKPOINT '{tmp_path}/q' {NOW} {COPY}")
    assert copied(spark) == [1]
    assert [path.name for path in offsets.glob(".*.tmp")] == []


def test_no_other_file_is_taken_for_an_unfinished_one(spark: SparkSession, tmp_path: Path) -> None:
    offsets = tmp_path / "q/offsets"
    offsets.mkdir(parents=True)
    left = [".0.0b8e737c-55a8-4e4c-9367-421d8a5956d6.tmp", "notes"]
    for name in left:
        (offsets / name).touch()
    spark.sql(f"START STREAMING QUERY q CHECKPOINT '{tmp_path}/q' {NOW} {COPY}")
    eventually(lambda: status(spark) == "FAILED")
    (info,) = streaming_queries(spark)
    assert "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY" in str(info.last_error)
    assert sorted(path.name for path in offsets.iterdir() if path.suffix != ".crc") == left
