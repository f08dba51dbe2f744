"""Streaming queries that SQL starts: sessions, failures, stops."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from eddyline import progress, streaming_queries
from eddyline.versions import is_newest
from goldenfiles import error_place, expected_state
from waiting import CONDITION_HANGS, eventually

from .streamingquery_harness import (
    COPY,
    NOW,
    arrive,
    copied,
    held_batch,
    is_stopping,
    one,
    refused,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("events_and_copy")


def test_start_runs_once(spark: SparkSession) -> None:
    arrive(spark, 1)
    frame = spark.sql(f"START STREAMING QUERY q {NOW} {COPY}")
    assert frame.collect() == frame.collect()
    assert frame.count() == 1
    spark.sql("AWAIT STREAMING QUERY q")
    assert copied(spark) == [1]
    assert frame.columns == ["name", "status", "id", "run_id", "checkpoint"]


def test_all_sessions_see_the_same(spark: SparkSession) -> None:
    arrive(spark, 1)
    mine = spark.newSession()
    mine.conf.set(
        "spark.sql.streaming.checkpointLocation",
        spark.conf.get("spark.sql.streaming.checkpointLocation"),
    )
    mine.sql("CREATE TEMPORARY VIEW mine AS SELECT k + 10 AS k, v FROM STREAM events")
    started = one(mine, "START STREAMING QUERY q AS INSERT INTO copy SELECT * FROM mine")
    mine.sql("DROP VIEW mine")
    (info,) = streaming_queries(spark)
    assert (info.name, info.status, info.target) == ("q", "RUNNING", "copy")
    eventually(lambda: copied(spark) == [11])
    assert one(spark, "STOP STREAMING QUERY q").id == started.id
    assert streaming_queries(mine)[0].status == "STOPPED"
    arrive(spark, 2)
    spark.sql("RESTART STREAMING QUERY q")
    eventually(lambda: copied(spark) == [11, 12])


def test_real_time_needs_a_topic_and_for_state_spark_4_3(spark: SparkSession) -> None:
    start = "START STREAMING QUERY q TRIGGER REAL TIME AS INSERT INTO copy "
    no_sink = "EDDYLINE_STREAMING_QUERY.REAL_TIME_SINK"
    no_state = "EDDYLINE_STREAMING_QUERY.REAL_TIME_STATE"
    assert refused(spark, f"{start} SELECT k, v FROM STREAM events") == no_sink
    counts = "SELECT k, count(*) FROM STREAM events GROUP BY k EMIT ON CHANGE"
    assert refused(spark, start + counts) == (no_sink if is_newest(spark.version) else no_state)
    assert streaming_queries(spark) == []


def test_a_query_that_fails(spark: SparkSession) -> None:
    sql = (
        f"START STREAMING QUERY q {NOW} AS INSERT INTO copy "
        "SELECT k, if(v = 13, raise_error('unlucky'), v) FROM STREAM events"
    )
    arrive(spark, 1)
    spark.sql(sql)
    spark.sql("AWAIT STREAMING QUERY q")
    arrive(spark, 13)
    spark.sql("RESTART STREAMING QUERY q")
    awaiting = "AWAIT STREAMING QUERY q"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(awaiting)
    condition = "EDDYLINE_STREAMING_QUERY.FAILED"
    assert caught.value.getCondition() == condition
    assert caught.value.getSqlState() == expected_state(spark, condition, "58000")
    assert "unlucky" in str(caught.value)
    assert error_place(caught.value, awaiting)[0] == awaiting.index("q", 22)
    (info,) = streaming_queries(spark)
    assert info.status == "FAILED"
    assert "unlucky" in str(info.last_error)
    assert copied(spark) == [1]


def test_a_sink_that_fails(spark: SparkSession) -> None:
    arrive(spark, 1)
    spark.sql(f"START STREAMING QUERY q {NOW} {COPY}")
    spark.sql("AWAIT STREAMING QUERY q")
    spark.sql("DROP TABLE copy")
    arrive(spark, 2)
    with pytest.raises(AnalysisException) as caught:
        spark.sql("RESTART STREAMING QUERY q")
    assert caught.value.getCondition() == "TABLE_OR_VIEW_NOT_FOUND"
    spark.sql("CREATE TABLE copy (k INT, v INT) USING parquet")
    spark.sql("RESTART STREAMING QUERY q")
    spark.sql("AWAIT STREAMING QUERY q")
    assert copied(spark) == [2]


def test_a_sink_that_goes_away(spark: SparkSession) -> None:
    arrive(spark, 1)
    spark.sql(f"START STREAMING QUERY q {COPY}")
    eventually(lambda: spark.sql("SHOW STREAMING QUERY PROGRESS q").count())
    spark.sql("DROP TABLE copy")
    arrive(spark, 2)
    eventually(lambda: streaming_queries(spark)[0].status == "FAILED")
    assert "copy" in str(streaming_queries(spark)[0].last_error)
    spark.sql("CREATE TABLE copy (k INT, v INT) USING parquet")
    assert one(spark, "START STREAMING QUERY q").status == "RUNNING"
    eventually(lambda: copied(spark) == [2])
    assert "copy" in str(streaming_queries(spark)[0].last_error), "it stays readable"


def test_stop_lets_the_batch_end(spark: SparkSession) -> None:
    spark.sql(f"START STREAMING QUERY q {COPY}")
    with ThreadPoolExecutor(1) as pool:
        with held_batch(spark):
            stopped = pool.submit(one, spark, "STOP STREAMING QUERY q")
            eventually(lambda: is_stopping(spark))
            assert not stopped.done()
        assert stopped.result().status == "STOPPED"
    assert copied(spark) == [1]
    arrive(spark, 2)
    spark.sql("RESTART STREAMING QUERY q")
    eventually(lambda: copied(spark) == [1, 2])
    assert streaming_queries(spark)[0].last_error is None


def test_an_error_while_stopping_is_seen(spark: SparkSession) -> None:
    spark.sql(
        "START STREAMING QUERY q AS INSERT INTO copy "
        "SELECT k, if(v IS NULL, v, raise_error('late')) FROM STREAM events"
    )
    with ThreadPoolExecutor(1) as pool:
        with held_batch(spark):
            stopped = pool.submit(one, spark, "STOP STREAMING QUERY q")
            eventually(lambda: is_stopping(spark))
        assert stopped.result().status == "FAILED"
    assert "late" in str(streaming_queries(spark)[0].last_error)


def test_a_dropped_query_is_gone(spark: SparkSession) -> None:
    spark.sql(f"START STREAMING QUERY q TRIGGER EVERY 1 HOUR {COPY}")
    assert one(spark, "DROP STREAMING QUERY q").status == "DROPPED"
    for verb in ("START", "STOP", "RESTART", "DROP"):
        with pytest.raises(AnalysisException) as caught:
            spark.sql(f"{verb} STREAMING QUERY q")
        assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.NOT_FOUND"


def test_stop_again_and_again(spark: SparkSession) -> None:
    """No row is written twice or lost, wherever the stop comes."""
    spark.sql(f"START STREAMING QUERY q {COPY}")
    for key in range(6):
        arrive(spark, key)
        time.sleep(0.1 * key)
        spark.sql("STOP STREAMING QUERY q")
        spark.sql("RESTART STREAMING QUERY q")
    eventually(lambda: len(copied(spark)) >= 6)
    spark.sql("STOP STREAMING QUERY q")
    assert copied(spark) == list(range(6))


def test_twenty_at_once(spark: SparkSession) -> None:
    arrive(spark, 1)
    names = [f"q{i}" for i in range(20)]
    with ThreadPoolExecutor(8) as pool:
        starts = [f"START STREAMING QUERY {n} TRIGGER EVERY 1 HOUR {COPY}" for n in names]
        list(pool.map(lambda sql: spark.sql(sql).collect(), starts))
        assert {info.name for info in streaming_queries(spark)} == set(names)
        eventually(lambda: copied(spark) == [1] * 20)
        list(pool.map(lambda n: spark.sql(f"STOP STREAMING QUERY {n}").collect(), names))
    assert {info.status for info in streaming_queries(spark)} == {"STOPPED"}
    assert copied(spark) == [1] * 20


def test_one_name_one_query(spark: SparkSession) -> None:
    def start(_: int) -> str:
        try:
            return str(one(spark, f"START STREAMING QUERY q TRIGGER EVERY 1 HOUR {COPY}").status)
        except AnalysisException as error:
            return str(error.getCondition())

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(start, range(4))) == [
            *["EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS"] * 3,
            "RUNNING",
        ]


def test_already_running(spark: SparkSession) -> None:
    spark.sql(f"START STREAMING QUERY q TRIGGER EVERY 1 HOUR {COPY}")
    with pytest.raises(AnalysisException) as caught:
        spark.sql("START STREAMING QUERY q")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.ALREADY_RUNNING"
    assert error_place(caught.value, "START STREAMING QUERY q")[0] == 22
    assert one(spark, "AWAIT STREAMING QUERY q TIMEOUT 1 MILLISECOND").status == "RUNNING"


def test_show_create_can_be_run(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, 1, 2)
    typed = f"""
        START STREAMING QUERY `my q` {NOW} CHECKPOINT '{tmp_path}/it\\'s' OPTIONS (a 'b')
        COMMENT 'it\\'s' AS INSERT INTO copy (v, k)
        (SELECT max(v) AS v, k FROM STREAM events GROUP BY k) -- not UNION
        EMIT ON CHANGE"""
    spark.sql(typed)
    spark.sql("AWAIT STREAMING QUERY `my q`")
    statement = one(spark, "SHOW CREATE STREAMING QUERY `my q`").statement
    spark.sql("DROP STREAMING QUERY `my q`")
    spark.sql(statement)
    spark.sql("AWAIT STREAMING QUERY `my q`")
    assert one(spark, "SHOW CREATE STREAMING QUERY `my q`").statement == statement
    assert copied(spark) == [1, 2], "it went on from the checkpoint"


def test_what_can_be_seen(spark: SparkSession) -> None:
    # Spark keeps the progress of triggers without data too, with the metrics of the batch before
    spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "1ms")
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", "1000000")  # none is forgotten
    arrive(spark, 1, 2)
    spark.sql(
        "START STREAMING QUERY q COMMENT 'tops' AS INSERT INTO copy "
        "SELECT k, max(v) FROM STREAM events GROUP BY k EMIT ON CHANGE"
    )
    eventually(lambda: streaming_queries(spark)[0].batch == 0)
    arrive(spark, 1, 3)
    eventually(lambda: streaming_queries(spark)[0].batch == 1)
    (info,) = streaming_queries(spark)
    assert (info.dropped, info.state_rows, info.comment) == (1, 3, "tops")
    first, second = spark.sql("SHOW STREAMING QUERY PROGRESS q").collect()
    assert (first.batch, first.input_rows, first.emitted, first.dropped) == (0, 2, 2, 0)
    assert (second.batch, second.input_rows, second.emitted, second.dropped) == (1, 2, 1, 1)
    records = [(r.batch, r.input_rows, r.emitted, r.dropped) for r in progress("Q", spark)]
    assert records == [(0, 2, 2, 0), (1, 2, 1, 1)]
    described = {
        row.info_name: row.info_value for row in spark.sql("DESCRIBE STREAMING QUERY q").collect()
    }
    assert described["status"] == "RUNNING"
    assert described["state_rows"] == "3"
    assert "EmitOnChange keys=" in one(spark, "EXPLAIN STREAMING QUERY q").plan


def test_stop_and_restart_end_and_outlast_an_await(spark: SparkSession) -> None:
    spark.sql(f"START STREAMING QUERY q {COPY}")
    with ThreadPoolExecutor(1) as pool:
        awaited = pool.submit(one, spark, "AWAIT STREAMING QUERY q TIMEOUT 1 HOUR")
        eventually(awaited.running)
        for _ in range(3):
            restarted = one(spark, "RESTART STREAMING QUERY q")
            assert not awaited.done(), "a restart is no end"
        spark.sql("STOP STREAMING QUERY q")
        assert awaited.result(CONDITION_HANGS)[1:4:2] == ("STOPPED", restarted.run_id)


def test_restarts_at_once(spark: SparkSession) -> None:
    arrive(spark, 1)
    spark.sql(f"START STREAMING QUERY q {COPY}")
    with ThreadPoolExecutor(4) as pool:
        restarts = pool.map(lambda _: one(spark, "RESTART STREAMING QUERY q"), range(8))
        runs = {row.run_id for row in restarts}
    assert one(spark, "STOP STREAMING QUERY q").run_id in runs
    arrive(spark, 2)
    spark.sql("START STREAMING QUERY q")
    eventually(lambda: 2 in copied(spark))
    assert copied(spark) == [1, 2]


def test_start_and_drop_at_once(spark: SparkSession) -> None:
    """Each START gets its query or an error that it is gone; no unknown query is left."""
    sql = f"START STREAMING QUERY IF NOT EXISTS q TRIGGER EVERY 1 HOUR {COPY}"

    def run(i: int) -> str:
        try:
            return str(one(spark, "DROP STREAMING QUERY q" if i % 3 == 2 else sql).status)
        except AnalysisException as error:
            return str(error.getCondition())

    with ThreadPoolExecutor(6) as pool:
        outcomes = set(pool.map(run, range(24)))
    assert outcomes <= {"RUNNING", "STOPPED", "DROPPED", "EDDYLINE_STREAMING_QUERY.NOT_FOUND"}
    spark.sql("DROP STREAMING QUERY IF EXISTS q")
    assert one(spark, sql).status == "RUNNING", "the checkpoint belongs to no one"
