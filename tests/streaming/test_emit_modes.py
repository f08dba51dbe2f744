"""EMIT and `DataStreamWriter`: output modes, sinks and triggers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from goldenfiles import error_place, expected_state

from .harness import Stream, arrive, at, first_batch

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import DataStreamWriter

pytestmark = pytest.mark.usefixtures("table")

AGGREGATE = "SELECT k, max(v) AS top FROM STREAM t GROUP BY k "
WINDOWED = (
    "SELECT unix_seconds(window.start) % 3600 AS at, count(*) AS n "
    "FROM STREAM t WATERMARK ts DELAY OF INTERVAL 0 SECONDS GROUP BY window(ts, '10 seconds') "
)
SESSIONS = WINDOWED.replace("window", "session_window").replace("BY ", "BY k, ")
AVAILABLE = {"availableNow": True}


def writer(
    spark: SparkSession,
    sql: str,
    folder: Path,
    *,
    sink: str = "noop",
    mode: str | None = None,
    trigger: dict[str, Any] = AVAILABLE,
) -> DataStreamWriter:
    stream = spark.sql(sql).writeStream.format(sink).trigger(**trigger)
    stream = stream.option("checkpointLocation", str(folder / "checkpoint"))
    if sink == "memory":
        stream = stream.queryName("sunk")
    return stream.outputMode(mode) if mode else stream


def refused(
    spark: SparkSession, stream: DataStreamWriter, sql: str, condition: str, state: str = "42K0E"
) -> None:
    """Checks that `start()` refuses the stream, at the EMIT as the user typed it."""
    with pytest.raises(AnalysisException) as caught:
        stream.start()
    assert caught.value.getCondition() == condition
    assert caught.value.getSqlState() == expected_state(spark, condition, state)
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop].startswith("EMIT")


@pytest.mark.parametrize("sink", ["noop", "console", "memory"])
def test_the_mode_is_switched(spark: SparkSession, tmp_path: Path, sink: str) -> None:
    arrive(spark, "t", [at(1, 5, 0), at(1, 7, 0), at(2, 1, 0)])
    query = writer(spark, AGGREGATE + "EMIT ON CHANGE", tmp_path, sink=sink).start()
    query.awaitTermination()
    assert query.lastProgress["stateOperators"][0]["numRowsTotal"] == 2
    if sink == "memory":
        rows = spark.sql("SELECT * FROM sunk ORDER BY k").collect()
        assert [tuple(row) for row in rows] == [(1, 7), (2, 1)]


def test_foreach(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", [at(1, 5, 0)])
    out = str(tmp_path / "rows")

    def keep(row: Any) -> None:
        with open(out, "a") as file:
            file.write(f"{tuple(row)}\n")

    stream = writer(spark, AGGREGATE + "EMIT ON CHANGE", tmp_path).foreach(keep)
    stream.start().awaitTermination()
    assert (tmp_path / "rows").read_text() == "(1, 5)\n"


def test_a_query_that_is_not_started(spark: SparkSession) -> None:
    """Whatever an action puts above EMIT, the error says how to start the query."""
    sql = AGGREGATE + "EMIT ON CHANGE"
    frame = spark.sql(sql)
    aggregate = frame.groupBy("top").count()
    for action in (frame.show, frame.count, frame.collect, frame.head, aggregate.collect):
        with pytest.raises(AnalysisException, match="START STREAMING QUERY name") as caught:
            action()
        assert caught.value.getCondition() == "EDDYLINE_EMIT.STREAM_NOT_STARTED"
        assert error_place(caught.value, sql)[0] == sql.index("EMIT")


def test_what_stands_above_a_query_that_is_started(spark: SparkSession, tmp_path: Path) -> None:
    for sql in (
        f"SELECT DISTINCT top FROM ({AGGREGATE}EMIT ON CHANGE)",
        f"WITH tops AS ({AGGREGATE}EMIT ON CHANGE) SELECT DISTINCT top FROM tops",
    ):
        refused(spark, writer(spark, sql, tmp_path), sql, "EDDYLINE_EMIT.NOT_LAST", "0A000")


@pytest.mark.parametrize("strategy", ["ON CHANGE", "ON UPDATE", "EVERY 10 SECONDS"])
def test_a_sink_made_for_append(spark: SparkSession, tmp_path: Path, strategy: str) -> None:
    sql = f"{AGGREGATE}EMIT {strategy}"
    trigger = {"processingTime": "10 seconds"}
    stream = writer(spark, sql, tmp_path, sink="io.eddyline.spark.emit.OtherSink", trigger=trigger)
    refused(spark, stream, sql, "EDDYLINE_EMIT.OUTPUT_MODE_MISSING")


@pytest.mark.parametrize("strategy", ["ON CHANGE", "ON UPDATE"])
def test_files_get_every_emission(spark: SparkSession, tmp_path: Path, strategy: str) -> None:
    for rows in ([at(1, 5, 0), at(2, 1, 0)], [at(1, 4, 0), at(2, 3, 0)]):
        arrive(spark, "t", rows)
        stream = writer(spark, f"{AGGREGATE}EMIT {strategy}", tmp_path, sink="parquet")
        stream.option("path", str(tmp_path / "out")).start().awaitTermination()
    written = spark.read.parquet(str(tmp_path / "out")).collect()
    repeated = [] if strategy == "ON CHANGE" else [(1, 5)]
    assert sorted(map(tuple, written)) == sorted([(1, 5), (2, 1), (2, 3), *repeated])


def test_a_table_gets_every_emission(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", [at(1, 5, 0)])
    stream = writer(spark, f"{AGGREGATE}EMIT ON CHANGE", tmp_path, sink="parquet")
    stream.toTable("sums").awaitTermination()
    assert [tuple(row) for row in spark.table("sums").collect()] == [(1, 5)]


def test_a_sink_for_a_changelog_without_aggregation(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", [at(1, 5, 0), at(1, 5, 0), at(2, 1, 0)])
    sql = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k)"
    stream = writer(spark, sql, tmp_path, sink="parquet").option("path", str(tmp_path / "out"))
    stream.start().awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "out")).sort("k").collect()
    assert [tuple(row) for row in rows] == [(1, 5), (2, 1)]


def test_a_static_aggregation_needs_no_mode(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", [at(1, 5, 0)])
    spark.sql("CREATE TABLE names USING parquet AS SELECT 1L AS k, 'one' AS name")
    sql = (
        "SELECT k, v, n FROM STREAM t JOIN (SELECT k, count(*) AS n FROM names GROUP BY k) "
        "USING (k) EMIT ON CHANGE KEY (k)"
    )
    stream = writer(spark, sql, tmp_path, sink="parquet").option("path", str(tmp_path / "out"))
    stream.start().awaitTermination()
    assert spark.read.parquet(str(tmp_path / "out")).collect() == [(1, 5, 1)]


@pytest.mark.parametrize(
    ("sql", "mode"),
    [
        (AGGREGATE + "EMIT ON CHANGE", "complete"),
        (AGGREGATE + "EMIT ON UPDATE", "complete"),
        (WINDOWED + "EMIT ON WINDOW CLOSE", "update"),
        (WINDOWED + "EMIT ON WINDOW CLOSE", "complete"),
    ],
)
def test_a_mode_that_contradicts(spark: SparkSession, tmp_path: Path, sql: str, mode: str) -> None:
    refused(
        spark, writer(spark, sql, tmp_path, mode=mode), sql, "EDDYLINE_EMIT.OUTPUT_MODE_MISMATCH"
    )


def test_complete_mode_with_key(spark: SparkSession, tmp_path: Path) -> None:
    sql = AGGREGATE + "EMIT ON CHANGE KEY (k)"
    stream = Stream(lambda: spark.sql(sql), tmp_path, "complete")
    arrive(spark, "t", [at(1, 5, 0), at(2, 1, 0)])
    assert stream.run() == [[(1, 5), (2, 1)]]
    arrive(spark, "t", [at(1, 9, 0)])
    assert stream.run() == [[(1, 9)]]
    assert stream.dropped == 1


def test_complete_mode_with_a_window_as_key(spark: SparkSession, tmp_path: Path) -> None:
    """Complete mode takes late rows, so it never closes a window."""
    sql = (
        "SELECT window, count(*) AS n FROM STREAM t WATERMARK ts DELAY OF INTERVAL 0 SECONDS "
        "GROUP BY window(ts, '10 seconds') EMIT ON CHANGE KEY (window)"
    )
    stream = Stream(lambda: spark.sql(sql).select("n"), tmp_path, "complete")
    arrive(spark, "t", [at(1, 0, 1), at(1, 0, 100)])
    assert stream.run() == [[(1,), (1,)]]
    arrive(spark, "t", [at(1, 0, 2)])
    assert stream.run() == [[(2,)]]


def test_on_update(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(lambda: spark.sql(AGGREGATE + "EMIT ON UPDATE"), tmp_path)
    arrive(spark, "t", [at(1, 5, 0), at(2, 1, 0)])
    assert stream.run() == [[(1, 5), (2, 1)]]
    arrive(spark, "t", [at(1, 3, 0)])
    assert stream.run() == [[(1, 5)]]


def test_a_query_that_has_a_name(spark: SparkSession, tmp_path: Path) -> None:
    """A window is reported before it closes, although Append mode would run, too."""
    sql = f"WITH counts AS ({WINDOWED}), last AS (SELECT * FROM counts EMIT ON UPDATE) TABLE last"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", [at(1, 0, 1), at(1, 0, 4)])
    assert stream.run() == [[(0, 2)]]


@pytest.mark.parametrize("sql", [WINDOWED, SESSIONS], ids=["windows", "sessions"])
def test_on_window_close(spark: SparkSession, tmp_path: Path, sql: str) -> None:
    session = "session" in sql
    sql = sql.replace("'10 seconds'", "'5 seconds'") if session else sql
    stream = Stream(lambda: spark.sql(sql + "EMIT ON WINDOW CLOSE"), tmp_path)
    arrive(spark, "t", [at(1, 0, 1), at(1, 0, 4), at(1, 0, 12)])
    # the window that begins at 0 is over; the session that begins at 1 ends at 9
    assert stream.run() == [[(1 if session else 0, 2)]]
    arrive(spark, "t", [at(1, 0, 2), at(1, 0, 30)])
    assert stream.run() == [[(12 if session else 10, 1)]], "late rows change no closed window"


def test_every_agrees_with_the_trigger(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", [at(1, 5, 0)])
    trigger = {"processingTime": "1 hour"}
    sql = AGGREGATE + "EMIT EVERY 60 MINUTES ON CHANGE"
    query = writer(spark, sql, tmp_path, sink="memory", trigger=trigger).start()
    first_batch(query)
    assert spark.table("sunk").collect() == [(1, 5)]


def test_every_reports_once_per_trigger(spark: SparkSession, tmp_path: Path) -> None:
    """The files of the page on EMIT, which one trigger reads together."""
    for rows in ([(1, 5, 1), (2, 2, 3)], [(1, 3, 4)], [(1, 7, 6), (2, 1, 7)], [(1, 1, 12)]):
        arrive(spark, "t", [at(*row) for row in rows])
    sql = (
        "SELECT window, k, max(v) AS top FROM STREAM t WATERMARK ts DELAY OF INTERVAL 0 SECONDS "
        "GROUP BY window(ts, '10 seconds'), k EMIT EVERY 1 HOUR"
    )
    query = writer(spark, sql, tmp_path, sink="memory", trigger={"processingTime": "1 hour"})
    first_batch(query.start())
    reported = sorted((row.k, row.top) for row in spark.table("sunk").collect())
    assert reported == [(1, 1), (1, 7), (2, 2)]


@pytest.mark.parametrize(
    "trigger", [{"processingTime": "5 seconds"}, AVAILABLE, {"once": True}], ids=str
)
def test_every_contradicts_the_trigger(
    spark: SparkSession, tmp_path: Path, trigger: dict[str, Any]
) -> None:
    sql = AGGREGATE + "EMIT EVERY 10 SECONDS"
    refused(
        spark, writer(spark, sql, tmp_path, trigger=trigger), sql, "EDDYLINE_EMIT.TRIGGER_MISMATCH"
    )


def test_every_in_complete_mode(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", [at(1, 5, 0), at(2, 1, 0)])
    trigger = {"processingTime": "1 hour"}
    sql = AGGREGATE + "EMIT EVERY 1 HOUR"
    query = writer(spark, sql, tmp_path, sink="memory", mode="complete", trigger=trigger).start()
    first_batch(query)
    assert sorted(map(tuple, spark.table("sunk").collect())) == [(1, 5), (2, 1)]


@pytest.mark.since("4.2")
@pytest.mark.parametrize(
    "sql",
    [
        f"{AGGREGATE}EMIT EVERY 5 SECONDS",
        f"{AGGREGATE}EMIT ON CHANGE KEY (k) HEARTBEAT 1 HOUR",
        f"{SESSIONS}EMIT ON CHANGE WITH CHANGE TYPE",
    ],
    ids=["every", "heartbeat", "sessions"],
)
def test_real_time_mode(spark: SparkSession, tmp_path: Path, sql: str) -> None:
    spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    trigger = {"realTime": "5 seconds"}
    stream = writer(spark, sql, tmp_path, mode="update", trigger=trigger)
    refused(spark, stream, sql, "EDDYLINE_EMIT.REAL_TIME", "0A000")


def test_filters_and_columns_above(spark: SparkSession, tmp_path: Path) -> None:
    """No filter is pushed below EMIT, and no compared column is pruned."""
    spark.sql(f"CREATE TEMPORARY VIEW changes AS {AGGREGATE} EMIT ON CHANGE")
    sql = "SELECT k FROM changes WHERE top > 3"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", [at(1, 5, 0), at(2, 1, 0)])
    assert stream.run() == [[(1,)]]
    arrive(spark, "t", [at(1, 6, 0), at(2, 2, 0)])
    assert stream.run() == [[(1,)]], "top changed, though it is not selected"
    arrive(spark, "t", [at(1, 6, 0), at(2, 2, 0)])
    assert stream.run() == []
    assert stream.dropped == 2


def test_of_and_except(spark: SparkSession, tmp_path: Path) -> None:
    sql = "SELECT k, max(v) AS top, count(*) AS n FROM STREAM t GROUP BY k EMIT ON CHANGE "
    streams = [
        Stream(lambda: spark.sql(sql + "OF (top)"), tmp_path / "of"),
        Stream(lambda: spark.sql(sql + "EXCEPT (n)"), tmp_path / "except"),
    ]
    arrive(spark, "t", [at(1, 5, 0)])
    for stream in streams:
        assert stream.run() == [[(1, 5, 1)]]
    arrive(spark, "t", [at(1, 3, 0), at(2, 1, 0)])
    for stream in streams:
        assert stream.run() == [[(2, 1, 1)]]
        assert "compared=[k#" in stream.plan or "compared=[top#" in stream.plan
    arrive(spark, "t", [at(1, 9, 0)])
    for stream in streams:
        assert stream.run() == [[(1, 9, 3)]]


def test_a_current_time_that_is_not_compared(spark: SparkSession, tmp_path: Path) -> None:
    sql = (
        "SELECT k, max(v) AS top, current_timestamp() AS seen FROM STREAM t GROUP BY k "
        "EMIT ON CHANGE EXCEPT (seen)"
    )
    stream = Stream(lambda: spark.sql(sql).drop("seen"), tmp_path)
    arrive(spark, "t", [at(1, 5, 0)])
    assert stream.run() == [[(1, 5)]]
    arrive(spark, "t", [at(1, 5, 0)])
    assert stream.run() == []
