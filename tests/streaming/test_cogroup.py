"""COGROUP in streams: one state store, every mode and window, restarts, interleaved arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from goldenfiles import error_place, expected_state

from .harness import Stream, arrive, at

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

STREAMS = {
    "a": "STREAM a",
    "b": "STREAM b",
    "a_wm": "STREAM a WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS a",
    "b_wm": "STREAM b WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS b",
}


@pytest.fixture(autouse=True)
def tables(spark: SparkSession) -> None:
    for name in ("a", "b", "c"):
        spark.sql(f"CREATE TABLE {name} (k BIGINT, v BIGINT, ts TIMESTAMP) USING parquet")


def stateful(stream: Stream) -> int:
    """Returns the number of state stores of the query."""
    return len(stream.progress["stateOperators"])


def test_update_mode_with_interleaved_arrival(spark: SparkSession, tmp_path: Path) -> None:
    sql = (
        "COGROUP STREAM a BY k, STREAM b WHERE v > 0 BY k, STREAM c BY k "
        "AGGREGATE sum(a.v) AS a, count(b.*) AS b, max(c.v) AS c"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "update")
    arrive(spark, "a", [at(1, 10, 0), at(2, 20, 0)])
    assert stream.run() == [[(1, 10, 0, None), (2, 20, 0, None)]]
    assert stateful(stream) == 1
    arrive(spark, "b", [at(2, 1, 0), at(2, 0, 0)])
    arrive(spark, "c", [at(3, 7, 0)])
    assert stream.run() == [[(2, 20, 1, None), (3, None, 0, 7)]]
    arrive(spark, "a", [at(3, 1, 0), "(NULL, 5L, NULL)"])
    arrive(spark, "b", [at(1, 4, 0)])
    assert stream.run() == [[(1, 10, 1, None), (3, 1, 0, 7)]]
    assert stream.run() == []
    batch = spark.sql(sql.replace("STREAM ", ""))
    assert stream.final() == sorted(map(tuple, batch.collect()), key=str)


def test_char_of_two_lengths(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE takings (shop CHAR(3), v BIGINT) USING parquet")
    spark.sql("CREATE TABLE footfall (shop CHAR(5), v BIGINT) USING parquet")
    spark.sql("INSERT INTO takings VALUES ('AB', 1)")
    spark.sql("INSERT INTO footfall VALUES ('AB', 2)")
    sql = (
        "COGROUP STREAM takings BY shop, STREAM footfall BY shop "
        "AGGREGATE sum(takings.v) AS v, count_if(footfall.shop = 'AB') AS n HAVING shop = 'AB'"
    )
    assert Stream(lambda: spark.sql(sql), tmp_path, "update").run() == [[("AB   ", 1, 1)]]


def test_complete_mode_and_having(spark: SparkSession, tmp_path: Path) -> None:
    sql = (
        "COGROUP STREAM a BY k AS key, STREAM b BY k AGGREGATE sum(a.v) + sum(b.v) AS total "
        "HAVING EVERY BRANCH AND total > 10"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "complete")
    arrive(spark, "a", [at(1, 10, 0), at(2, 20, 0)])
    assert stream.run() == []
    arrive(spark, "b", [at(1, 1, 0)])
    assert stream.run() == [[(1, 11)]]
    arrive(spark, "b", [at(2, 2, 0)])
    assert stream.run() == [[(1, 11), (2, 22)]]


def test_append_with_watermark(spark: SparkSession, tmp_path: Path, provider: str) -> None:
    sql = (
        f"COGROUP {STREAMS['a_wm']} BY (window(ts, '10 seconds'), k), "
        f"{STREAMS['b_wm']} BY (window(ts, '10 seconds'), k) "
        "AGGREGATE count(a.*) AS a, sum(b.v) AS b |> "
        "SELECT unix_seconds(window.start) % 3600 AS at, k, a, b"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "append")
    arrive(spark, "a", [at(1, 0, 1), at(1, 0, 9), at(2, 0, 11)])
    arrive(spark, "b", [at(1, 5, 2), at(2, 7, 12)])
    assert stream.run() == []
    arrive(spark, "a", [at(9, 0, 31)])
    assert stream.run() == [], "the other branch has not come that far"
    # a restarted Spark knows a branch's watermark only from rows that arrive after it
    arrive(spark, "a", [at(9, 0, 32)])
    arrive(spark, "b", [at(9, 1, 25)])
    assert stream.run() == [[(0, 1, 2, 5)]]
    assert stateful(stream) == 1
    arrive(spark, "a", [at(1, 0, 3), at(9, 0, 100)])
    arrive(spark, "b", [at(9, 1, 100)])
    emitted = [row for rows in stream.run() for row in rows]
    assert (10, 2, 1, 7) in emitted
    assert not [row for row in emitted if row[0] == 0], "late rows are dropped, nothing comes twice"


def test_hopping_windows_in_update_mode(spark: SparkSession, tmp_path: Path) -> None:
    window = "window(ts, '20 seconds', '10 seconds') AS w"
    sql = (
        f"COGROUP {STREAMS['a_wm']} BY {window}, {STREAMS['b_wm']} BY {window} "
        "AGGREGATE count(*) AS n, count(b.*) AS b "
        "|> SELECT unix_seconds(w.start) % 3600 AS at, n, b"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "update")
    arrive(spark, "a", [at(1, 0, 15)])
    arrive(spark, "b", [at(1, 0, 25)])
    assert stream.run() == [[(0, 1, 0), (10, 2, 1), (20, 1, 1)]]


def test_sessions_merge_across_branches(spark: SparkSession, tmp_path: Path) -> None:
    session = "session_window(ts, '10 seconds') AS s"
    sql = (
        f"COGROUP {STREAMS['a_wm']} BY ({session}, k), {STREAMS['b_wm']} BY ({session}, k), "
        f"STREAM c WATERMARK ts DELAY OF INTERVAL 10 SECONDS AS c BY ({session}, k) "
        "AGGREGATE count(a.*) AS a, count(b.*) AS b, count(c.*) AS c "
        "|> SELECT unix_seconds(s.start) % 3600 AS first, unix_seconds(s.end) % 3600 AS last, "
        "k, a, b, c"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "append")
    arrive(spark, "a", [at(1, 0, 0)])
    arrive(spark, "b", [at(1, 0, 16)])
    assert stream.run() == []
    arrive(spark, "c", [at(1, 0, 8)])
    assert stream.run() == []
    for name in ("a", "b", "c"):
        arrive(spark, name, [at(2, 0, 60)])
    assert stream.run() == [[(0, 26, 1, 1, 1, 1)]]
    assert stateful(stream) == 1
    batch = spark.sql(
        sql.replace(" WATERMARK ts DELAY OF INTERVAL 10 SECONDS", "").replace("STREAM ", "")
    )
    assert (0, 26, 1, 1, 1, 1) in list(map(tuple, batch.collect()))


def test_one_exchange(spark: SparkSession, tmp_path: Path) -> None:
    sql = f"COGROUP {STREAMS['a']} BY k, {STREAMS['b']} BY k AGGREGATE count(a.*) AS n"
    arrive(spark, "a", [at(1, 0, 0)])
    query = (
        spark.sql(sql)
        .writeStream.format("noop")
        .outputMode("update")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    plan = query._jsq.explainInternal(False)
    assert plan.count("Exchange ") == 1
    assert plan.count("StateStoreSave ") == 1
    assert plan.count("StateStoreRestore ") == 1


def test_a_view_over_streams(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql(
        "CREATE TEMPORARY VIEW both AS COGROUP STREAM a BY k, STREAM b BY k AGGREGATE count(*) AS n"
    )
    arrive(spark, "a", [at(1, 0, 0)])
    stream = Stream(lambda: spark.table("both").where("n > 0"), tmp_path, "update")
    assert stream.run() == [[(1, 1)]]


def test_a_batch_branch_among_streams(spark: SparkSession) -> None:
    sql = "COGROUP STREAM a BY k, b BY k AGGREGATE count(*) AS n"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    condition = "EDDYLINE_COGROUP.STREAM_EXPECTED"
    assert caught.value.getCondition() == condition
    assert caught.value.getSqlState() == expected_state(spark, condition, "0A000")
    start, stop = error_place(caught.value, sql)
    assert (start, sql[start:stop]) == (sql.index("b BY"), "b")


@pytest.mark.parametrize(("first", "second"), [("a_wm", "b"), ("a", "b_wm")])
def test_a_branch_without_watermark(spark: SparkSession, first: str, second: str) -> None:
    sql = (
        f"COGROUP {STREAMS[first]} BY window(ts, '1 minute'), "
        f"{STREAMS[second]} BY window(b.ts, '1 minute') AGGREGATE count(*) AS n"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.WATERMARK_MISSING"
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == ("b.ts" if second == "b" else "ts")


@pytest.mark.parametrize(("first", "second"), [("a_wm", "b"), ("a", "b_wm")])
@pytest.mark.parametrize("key", ["ts", "(k, ts)", "ts AS at"])
def test_a_watermarked_time_as_a_plain_key(
    spark: SparkSession, first: str, second: str, key: str
) -> None:
    sql = f"COGROUP {STREAMS[first]} BY {key}, {STREAMS[second]} BY {key} AGGREGATE count(*) AS n"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.WATERMARK_MISSING"
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == "ts"
    assert (start > sql.index("STREAM b")) == (second == "b")


@pytest.mark.parametrize(("first", "second"), [("a_wm", "b"), ("a", "b_wm")])
def test_a_window_computed_in_the_branch(spark: SparkSession, first: str, second: str) -> None:
    branches = ", ".join(
        f"(SELECT window(ts, '5 seconds') AS w, v FROM {STREAMS[name]}) AS {name} BY w"
        for name in (first, second)
    )
    sql = f"COGROUP {branches} AGGREGATE count(*) AS n"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.WATERMARK_MISSING"


@pytest.mark.parametrize("names", [("a", "b"), ("a_wm", "b_wm")])
def test_a_time_as_a_plain_key(spark: SparkSession, tmp_path: Path, names: tuple[str, str]) -> None:
    """No row is lost without a watermark, nor within the watermark of both branches."""
    first, second = names
    sql = (
        f"COGROUP {STREAMS[first]} BY ts, {STREAMS[second]} BY ts "
        "AGGREGATE count(a.*) AS a, count(b.*) AS b "
        "|> SELECT unix_seconds(ts) % 3600 AS at, a, b"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "update")
    arrive(spark, "a", [at(1, 0, 0), at(1, 0, 30)])
    arrive(spark, "b", [at(1, 0, 0)])
    assert stream.run() == [[(0, 1, 1), (30, 1, 0)]]
    arrive(spark, "b", [at(1, 0, 4), at(1, 0, 5)])
    assert stream.run() == [[(4, 0, 1), (5, 0, 1)]]


def test_keys_in_aggregates(spark: SparkSession, tmp_path: Path) -> None:
    """A key is not NULL in the rows of the other branches."""
    spark.udf.register("py_size", lambda number: number.bit_length(), "int")
    sql = (
        "COGROUP STREAM a BY k, STREAM b BY k AGGREGATE sum(k * 100 + coalesce(a.v, 0)) AS s, "
        "count(k + coalesce(a.v, 0)) AS n, max(60 / coalesce(b.v, 0)) AS m, "
        "sum(60 / coalesce(b.v, 0)) AS t, sum(py_size(b.v)) AS u"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "update")
    arrive(spark, "a", [at(1, 10, 0), "(1L, NULL, NULL)"])
    arrive(spark, "b", [at(1, 30, 0), at(2, 60, 0), at(2, 60, 0)])
    assert stream.run() == [[(1, 210, 2, 2.0, 2.0, 5), (2, None, 0, 1.0, 2.0, 12)]]
    assert stateful(stream) == 1
    arrive(spark, "a", [at(2, 1, 0)])
    arrive(spark, "b", [at(1, 20, 0)])
    assert stream.run() == [[(1, 210, 2, 3.0, 5.0, 10), (2, 201, 1, 1.0, 2.0, 12)]]
    batch = spark.sql(sql.replace("STREAM ", ""))
    assert stream.final() == sorted(map(tuple, batch.collect()), key=str)


def test_sql_functions(spark: SparkSession, tmp_path: Path) -> None:
    """A function written in SQL sees the rows of its branch alone, as an argument and as a key."""
    spark.sql("CREATE TEMPORARY FUNCTION or_one(x BIGINT) RETURNS BIGINT RETURN coalesce(x, 1)")
    sql = (
        "COGROUP STREAM a BY or_one(k) AS k, STREAM b BY or_one(k) "
        "AGGREGATE sum(or_one(b.v)) AS s, count(*) FILTER (WHERE or_one(a.v) = 1) AS n"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "update")
    arrive(spark, "a", [at(1, 10, 0), at(2, 20, 0)])
    arrive(spark, "b", [at(1, 30, 0), "(NULL, NULL, NULL)"])
    assert stream.run() == [[(1, 31, 0), (2, None, 0)]]
    assert stateful(stream) == 1
    arrive(spark, "a", ["(2L, NULL, NULL)"])
    assert stream.run() == [[(2, None, 1)]]
    batch = spark.sql(sql.replace("STREAM ", ""))
    assert stream.final() == sorted(map(tuple, batch.collect()), key=str)


def test_keys_in_aggregates_with_windows(spark: SparkSession, tmp_path: Path) -> None:
    window = "window(ts, '10 seconds', '5 seconds')"
    sql = (
        f"COGROUP {STREAMS['a_wm']} BY ({window} AS w, k), {STREAMS['b_wm']} BY ({window}, k) "
        "AGGREGATE sum(k + coalesce(a.v, 0)) AS s, sum(60 / coalesce(b.v, 0)) AS m, "
        "max(60 / coalesce(b.v, 0)) AS t, count(b.*) AS n "
        "|> SELECT unix_seconds(w.start) % 3600 AS at, k, s, m, t, n"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path, "update")
    arrive(spark, "a", [at(1, 10, 7), "(2L, NULL, TIMESTAMP'2026-01-01 00:00:07')"])
    arrive(spark, "b", [at(1, 20, 12)])
    assert stream.run() == [
        [
            (0, 1, 11, None, None, 0),
            (0, 2, 2, None, None, 0),
            (10, 1, None, 3.0, 3.0, 1),
            (5, 1, 11, 3.0, 3.0, 1),
            (5, 2, 2, None, None, 0),
        ]
    ]


def test_sessions_in_update_mode_are_sparks_to_refuse(spark: SparkSession, tmp_path: Path) -> None:
    sql = (
        f"COGROUP {STREAMS['a_wm']} BY session_window(ts, '10 seconds'), "
        f"{STREAMS['b_wm']} BY session_window(ts, '10 seconds') AGGREGATE count(*) AS n"
    )
    with pytest.raises(AnalysisException, match="session window"):
        Stream(lambda: spark.sql(sql), tmp_path, "update").run()
