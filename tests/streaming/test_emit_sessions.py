"""WITH CHANGE TYPE over session windows: sessions grow, merge and close."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from .harness import Row, Stream, arrive, at
from .streamingquery_harness import NOW, finish, merging_table
from .test_emit_changes import AFTER, BEFORE, DELETE, INSERT
from .test_emit_options import metric, stream_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("table")

TIMED = "STREAM t WATERMARK ts DELAY OF INTERVAL 20 SECONDS AS t"
SECONDS = "unix_seconds(w.{0}) % 3600 AS {0}"
BOTH = f"{SECONDS.format('start')}, {SECONDS.format('end')}"
TYPED = "EMIT ON CHANGE WITH CHANGE TYPE"

SUMS = (
    f"SELECT k, session_window AS w, sum(v) AS v FROM {TIMED} "
    "GROUP BY k, session_window(ts, '10 seconds')"
)


def sessions(columns: str, having: str = "") -> str:
    by = f"GROUP BY k, session_window(ts, '10 seconds') {having}"
    inner = f"SELECT k, session_window AS w, {columns} FROM {TIMED} {by}"
    names = ", ".join(column.rpartition(" ")[2] for column in columns.split(","))
    return f"SELECT k, {BOTH}, {names} FROM ({inner})"


def emitted(stream: Stream, spark: SparkSession, *rows: str) -> list[Row]:
    arrive(spark, "t", rows)
    return [row for batch in stream.run() for row in batch]


@pytest.mark.usefixtures("provider")
def test_sessions_grow_and_merge(spark: SparkSession, tmp_path: Path) -> None:
    stream = stream_of(spark, tmp_path, f"{sessions('max(v) AS top')} {TYPED} BEFORE")
    assert emitted(stream, spark, at(1, 5, 0), at(1, 3, 15), at(2, 1, 0)) == [
        (1, 0, 10, 5, INSERT),
        (1, 15, 25, 3, INSERT),
        (2, 0, 10, 1, INSERT),
    ]
    assert emitted(stream, spark, at(1, 7, 20), at(2, 4, 0)) == [
        (1, 15, 25, 3, DELETE),
        (1, 15, 30, 7, INSERT),
        (2, 0, 10, 1, BEFORE),
        (2, 0, 10, 4, AFTER),
    ]
    assert emitted(stream, spark, at(1, 6, 8), at(2, 2, 0)) == [
        (1, 0, 10, 5, DELETE),
        (1, 0, 30, 7, INSERT),
        (1, 15, 30, 7, DELETE),
    ]
    assert metric(stream, "numDeletesEmitted") == 2
    assert "EmitOnChangeSessions keys=[k" in stream.plan


@pytest.mark.usefixtures("provider")
def test_sessions_that_enter_and_leave_having(spark: SparkSession, tmp_path: Path) -> None:
    query = sessions("sum(v) AS v", "HAVING sum(v) > 3")
    stream = stream_of(spark, tmp_path, f"{query} {TYPED}")
    assert emitted(stream, spark, at(1, 2, 0), at(2, 9, 0), at(3, 9, 0)) == [
        (2, 0, 10, 9, INSERT),
        (3, 0, 10, 9, INSERT),
    ]
    assert emitted(stream, spark, at(1, 5, 0), at(2, -9, 0), at(3, -9, 5)) == [
        (1, 0, 10, 7, INSERT),
        (2, 0, 10, 9, DELETE),
        (3, 0, 10, 9, DELETE),
    ]


def test_a_session_that_closed_is_final(spark: SparkSession, tmp_path: Path) -> None:
    stream = stream_of(spark, tmp_path, f"{sessions('sum(v) AS v')} {TYPED}")
    assert emitted(stream, spark, at(1, 1, 0), at(2, 1, 50)) == [
        (1, 0, 10, 1, INSERT),
        (2, 50, 60, 1, INSERT),
    ]
    (state,) = stream.progress["stateOperators"]
    assert (state["numRowsTotal"], state["numRowsRemoved"]) == (1, 1), "the watermark is at 30"
    assert emitted(stream, spark, at(1, 1, 5)) == []
    late = stream.progress["stateOperators"][0]["numRowsDroppedByWatermark"]
    assert late == 1


def test_a_query_changes_between_the_clauses(spark: SparkSession, tmp_path: Path) -> None:
    """The state is Spark's own, so that its query of closed windows may take it over."""
    query = sessions("sum(v) AS v")
    typed = stream_of(spark, tmp_path, f"{query} {TYPED}")
    closed = stream_of(spark, tmp_path, f"{query} EMIT ON WINDOW CLOSE")
    assert emitted(closed, spark, at(1, 1, 0)) == []
    assert emitted(typed, spark, at(1, 2, 5)) == [(1, 0, 10, 1, DELETE), (1, 0, 15, 3, INSERT)]
    assert emitted(closed, spark, at(1, 4, 6), at(2, 1, 60)) == [(1, 0, 16, 7)]
    assert emitted(typed, spark, at(2, 1, 60)) == [(2, 60, 70, 2, AFTER)]


def test_sessions_across_branches(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE u (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")
    key = "(k, session_window(ts, '10 seconds') AS w)"
    stream = stream_of(
        spark,
        tmp_path,
        f"SELECT k, {BOTH}, t, u FROM (COGROUP {TIMED} BY {key}, "
        f"{TIMED.replace('STREAM t', 'STREAM u').replace('AS t', 'AS u')} BY {key} "
        f"AGGREGATE count(t.*) AS t, sum(u.v) AS u) {TYPED}",
    )
    arrive(spark, "u", [at(1, 7, 16)])
    assert emitted(stream, spark, at(1, 0, 0)) == [
        (1, 0, 10, 1, None, INSERT),
        (1, 16, 26, 0, 7, INSERT),
    ]
    arrive(spark, "u", [at(1, 2, 8)])
    assert emitted(stream, spark, at(2, 0, 0)) == [
        (1, 0, 10, 1, None, DELETE),
        (1, 0, 26, 1, 9, INSERT),
        (1, 16, 26, 0, 7, DELETE),
        (2, 0, 10, 1, None, INSERT),
    ]


@pytest.mark.usefixtures("events_and_copy")
def test_upsert_by_the_start_of_a_session(spark: SparkSession) -> None:
    """A session that grows is deleted and inserted, which is one row of the table."""
    target = f"{merging_table(spark)}_sessions"
    spark.sql(f"CREATE TABLE {target} (k BIGINT, start TIMESTAMP, end TIMESTAMP, v BIGINT)")
    query = f"SELECT k, w.start, w.end, v FROM ({SUMS}) {TYPED}"
    arrive(spark, "t", [at(1, 1, 0), at(1, 1, 15), at(2, 1, 0)])
    sink = f"UPSERT INTO {target} KEY (k, start)"
    finish(spark, f"START STREAMING QUERY q {NOW} AS {sink} {query}")
    arrive(spark, "t", [at(1, 5, 8), at(2, 1, 3)])
    finish(spark, "START STREAMING QUERY q")
    seconds = "SELECT k, second(start), second(end), v FROM"
    assert sorted(map(tuple, spark.sql(f"{seconds} {target}").collect())) == [
        (1, 0, 25, 7),
        (2, 0, 13, 2),
    ]


def test_the_output_mode_is_append(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.sql(f"{sessions('sum(v) AS v')} {TYPED}")
    writer = frame.writeStream.format("noop").option("checkpointLocation", str(tmp_path))
    with pytest.raises(AnalysisException, match=r"OUTPUT_MODE_MISMATCH.*append"):
        writer.outputMode("update").start()
