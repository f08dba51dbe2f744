"""The options of EMIT ON CHANGE in streams: what they emit, drop, keep and count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

import eddyline
from waiting import eventually

from .harness import Row, Stream, arrive, at

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("table")

TIMED = "STREAM t WATERMARK ts DELAY OF INTERVAL 0 SECONDS AS t"


def stream_of(spark: SparkSession, folder: Path, sql: str) -> Stream:
    return Stream(lambda: spark.sql(sql), folder)


def emitted(stream: Stream, spark: SparkSession, *rows: str) -> list[Row]:
    """Writes rows of t and runs the stream over them; returns what it emits."""
    if rows:
        arrive(spark, "t", rows)
    return [row for batch in stream.run() for row in batch]


def metric(stream: Stream, name: str) -> Any:
    return stream.progress["stateOperators"][0]["customMetrics"][name]


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) TOLERANCE 3",
        "SELECT k, last(v) AS v FROM STREAM t GROUP BY k EMIT ON CHANGE TOLERANCE (v 3)",
    ],
    ids=["rows", "aggregation"],
)
def test_small_changes_are_dropped_until_they_add_up(
    spark: SparkSession, tmp_path: Path, sql: str
) -> None:
    stream = stream_of(spark, tmp_path, sql)
    assert emitted(stream, spark, at(1, 10), at(2, 10)) == [(1, 10), (2, 10)]
    assert emitted(stream, spark, at(1, 12), at(2, 13)) == [(2, 13)], "3 is not smaller than 3"
    assert metric(stream, "numToleratedUpdates") == 1
    assert emitted(stream, spark, at(1, 13), at(2, 11)) == [(1, 13)], "slow drift adds up"
    assert emitted(stream, spark, at(1, 13)) == []
    assert metric(stream, "numToleratedUpdates") == 0, "an equal row needs no tolerance"
    assert stream.dropped == 3
    assert stream.progress["stateOperators"][0]["numRowsUpdated"] == 0


VALUES: dict[str, tuple[str, str, list[str], list[str | None]]] = {
    "int": ("INT", "2", ["1", "2", "3", "NULL", "NULL", "1", "-1"], ["1", "3", None, "1", "-1"]),
    "fraction of an integer": ("INT", "1.5", ["1", "2", "3"], ["1", "3"]),
    "no tolerance": ("INT", "0", ["1", "1", "2"], ["1", "2"]),
    "limits": (
        "BIGINT",
        "9223372036854775808",
        ["-9223372036854775807", "0", "1", "-9223372036854775808"],
        ["-9223372036854775807", "1", "-9223372036854775808"],
    ),
    "more than any difference": (
        "BIGINT",
        "1e30",
        ["-9223372036854775808", "9223372036854775807"],
        ["-9223372036854775808"],
    ),
    "double": (
        "DOUBLE",
        "0.5",
        ["1", "1.4", "1.5", "'NaN'", "'NaN'", "1"],
        ["1.0", "1.5", "NaN", "1.0"],
    ),
    "infinity": (
        "DOUBLE",
        "1",
        ["'inf'", "'inf'", "'-inf'", "0"],
        ["Infinity", "-Infinity", "0.0"],
    ),
    "zeros": ("DOUBLE", "0", ["0", "'-0.0'", "0"], ["0.0"]),
    "float": ("FLOAT", "0.25", ["0", "0.125", "0.25"], ["0.0", "0.25"]),
    "decimal": ("DECIMAL(3,1)", "0.1", ["1.0", "1.1", "1.1", "1.2"], ["1.0", "1.1", "1.2"]),
    "finer than the decimal": ("DECIMAL(3,1)", "0.11", ["1.0", "1.1", "1.2"], ["1.0", "1.2"]),
    "date": (
        "DATE",
        "36 HOURS",
        ["'2026-01-01'", "'2026-01-02'", "'2026-01-03'", "'2026-01-02'"],
        ["2026-01-01", "2026-01-03"],
    ),
    "timestamp": (
        "TIMESTAMP",
        "1 MINUTE",
        ["'2026-01-01 00:00:00'", "'2026-01-01 00:00:59.999999'", "'2026-01-01 00:01:00'"],
        ["2026-01-01 00:00:00", "2026-01-01 00:01:00"],
    ),
    "timestamp without zone": (
        "TIMESTAMP_NTZ",
        "1 MINUTE",
        ["'2026-01-01 00:00:00'", "'2026-01-01 00:00:30'"],
        ["2026-01-01 00:00:00"],
    ),
    "interval": (
        "INTERVAL DAY TO SECOND",
        "'1 hour'",
        ["'0 00:00:00'", "'0 00:59:59'", "'0 01:00:00'"],
        ["INTERVAL '0 00:00:00' DAY TO SECOND", "INTERVAL '0 01:00:00' DAY TO SECOND"],
    ),
}


def test_tolerance_by_type(spark: SparkSession, tmp_path: Path) -> None:
    """Each case has a key and a column of its own, which is NULL in the rows of the others."""
    cases = list(VALUES.values())
    columns = ", ".join(f"x{i} {kind}" for i, (kind, *_) in enumerate(cases))
    spark.sql(f"CREATE TABLE typed (n INT, k INT, {columns}) USING parquet")
    rows = []
    for i, (kind, _, values, _) in enumerate(cases):
        for n, value in enumerate(values):
            row = ["NULL"] * len(cases)
            row[i] = f"CAST({value} AS {kind})"
            rows.append(f"({n}, {i}, {', '.join(row)})")
    arrive(spark, "typed", rows)
    amounts = ", ".join(f"x{i} {amount}" for i, (_, amount, *_) in enumerate(cases))
    sql = (
        "SELECT * FROM STREAM typed "
        f"EMIT ON CHANGE EXCEPT (n) KEY (k) ORDER BY n TOLERANCE ({amounts})"
    )
    texts = [f"CAST(x{i} AS STRING)" for i in range(len(cases))]
    stream = Stream(lambda: spark.sql(sql).selectExpr("n", "k", *texts), tmp_path)
    (found,) = stream.run()
    found.sort(key=lambda row: row[0])
    for i, (name, (*_, expected)) in enumerate(VALUES.items()):
        assert [row[2 + i] for row in found if row[1] == i] == expected, name


def test_tolerance_leaves_other_columns_exact(spark: SparkSession, tmp_path: Path) -> None:
    sql = "SELECT k, v, k % 2 AS w, CAST(v / 10 AS STRING) AS s FROM STREAM t "
    stream = stream_of(spark, tmp_path, sql + "EMIT ON CHANGE KEY (k) TOLERANCE 100")
    assert len(emitted(stream, spark, at(1, 10), at(1, 10), at(1, 11))) == 2, "the string differs"
    sql = sql.replace(", CAST(v / 10 AS STRING) AS s", "")
    stream = stream_of(spark, tmp_path / "numbers", sql + "EMIT ON CHANGE KEY (k) TOLERANCE (v 5)")
    assert emitted(stream, spark) == [(1, 10, 1)]


@pytest.mark.parametrize(
    ("sql", "plan"),
    [
        (
            "WITH a AS (SELECT k, v % 2 AS odd, max(v) AS v FROM STREAM t GROUP BY k, v % 2) "
            "SELECT CAST(odd AS STRING) AS o, a.k AS key, v FROM a EMIT ON CHANGE TOLERANCE 5",
            "[key, o]",
        ),
        (
            f"SELECT window.end AS until, max(v) AS v FROM {TIMED} "
            "GROUP BY window(ts, '1 minute') EMIT ON CHANGE TOLERANCE 5",
            "[until-T0ms]",
        ),
        ("SELECT max(v) AS v FROM STREAM t EMIT ON CHANGE TOLERANCE 5", "[]"),
        (
            "COGROUP STREAM t BY k, STREAM t AS u BY k AGGREGATE max(t.v) AS v "
            "EMIT ON CHANGE TOLERANCE 5",
            "[k]",
        ),
        ("SELECT DISTINCT k, v FROM STREAM t EMIT ON CHANGE HEARTBEAT 1 DAY", "[k, v]"),
    ],
    ids=["cte", "window", "no keys", "cogroup", "distinct"],
)
def test_the_keys_are_what_the_aggregation_groups_by(
    spark: SparkSession, tmp_path: Path, sql: str, plan: str
) -> None:
    stream = stream_of(spark, tmp_path, sql)
    assert emitted(stream, spark, at(1, 10))
    assert f"keys={plan}" in re.sub(r"#\d+L?", "", stream.plan)
    assert bool(emitted(stream, spark, at(1, 14))) == ("DISTINCT" in sql)


def test_a_column_that_rounds_is_no_key(spark: SparkSession) -> None:
    sql = "SELECT CAST(k AS DOUBLE) AS k, max(v) AS v FROM STREAM t GROUP BY k EMIT ON CHANGE "
    with pytest.raises(AnalysisException, match="GROUPING_COLUMN_MISSING"):
        spark.sql(sql + "TOLERANCE 1")
    assert spark.sql(sql + "KEY (k) TOLERANCE 1").isStreaming


@pytest.mark.usefixtures("provider")
def test_rows_are_taken_in_their_order_whatever_task_they_come_from(
    spark: SparkSession, tmp_path: Path
) -> None:
    sql = (
        "SELECT k, v, unix_seconds(ts) % 3600 AS at FROM STREAM t "
        "EMIT ON CHANGE EXCEPT (at) KEY (k) ORDER BY at"
    )
    stream = stream_of(spark, tmp_path, sql)
    for rows in [at(1, 3, 3)], [at(1, 1, 1), at(1, 3, 4)], [at(1, 2, 2), at(1, 2, 0)]:
        arrive(spark, "t", rows)
    assert emitted(stream, spark) == [(1, 1, 1), (1, 2, 0), (1, 2, 2), (1, 3, 3)]
    assert stream.dropped == 1, "the second 3"
    assert emitted(stream, spark, at(1, 4, 3)) == [], "3 was seen at 4, so this is older"
    assert metric(stream, "numOutOfOrderRows") == 1
    assert emitted(stream, spark, at(1, 5, 4), at(1, 4, 4)) == [(1, 4, 4), (1, 5, 4)], "ties"
    assert stream.dropped == 1
    assert metric(stream, "numOutOfOrderRows") == 0


def test_a_null_order_comes_first(spark: SparkSession, tmp_path: Path) -> None:
    sql = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY nullif(v, 0) % 10"
    stream = stream_of(spark, tmp_path, sql)
    assert emitted(stream, spark, at(1, 0), at(1, 11)) == [(1, 0), (1, 11)]
    assert emitted(stream, spark, at(1, 0), at(1, 12)) == [(1, 12)]
    assert metric(stream, "numOutOfOrderRows") == 1


def test_ties_are_taken_by_their_columns_also_maps(spark: SparkSession, tmp_path: Path) -> None:
    """A replayed micro-batch may read its rows in another order, and must emit the same."""
    sql = "SELECT k, map('v', v) AS m FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY k"
    found = []
    for name, values in ("up", (1, 2, 3)), ("down", (3, 2, 1)):
        spark.sql(f"CREATE TABLE {name} LIKE t")
        arrive(spark, name, [at(1, value) for value in values])
        seen: list[Any] = []

        def collect(batch: DataFrame, _: int, seen: list[Any] = seen) -> None:
            seen.extend(row.m["v"] for row in batch.collect())

        frame = spark.sql(sql.replace("STREAM t", f"STREAM {name}"))
        writer = frame.writeStream.foreachBatch(collect).trigger(availableNow=True)
        writer.option("checkpointLocation", str(tmp_path / name)).start().awaitTermination()
        found.append(seen)
    assert found[0] == found[1]
    assert sorted(found[0]) == [1, 2, 3]


@pytest.mark.usefixtures("provider")
def test_the_state_of_old_keys_is_removed(spark: SparkSession, tmp_path: Path) -> None:
    sql = f"SELECT k, v, ts FROM {TIMED} EMIT ON CHANGE EXCEPT (ts) KEY (k) EXPIRE AFTER 1 MINUTE"
    stream = Stream(lambda: spark.sql(sql).select("k", "v"), tmp_path)
    assert emitted(stream, spark, at(1, 5, 0), at(2, 5, 50)) == [(1, 5), (2, 5)]
    assert emitted(stream, spark, at(1, 5, 30), at(3, 5, 89)) == [(3, 5)]
    assert stream.progress["stateOperators"][0]["numRowsTotal"] == 3, "1 was seen at 30"
    assert emitted(stream, spark, at(3, 5, 90)) == []
    assert metric(stream, "numExpiredKeys") == 1
    assert stream.progress["stateOperators"][0]["numRowsTotal"] == 2
    assert emitted(stream, spark, at(1, 6, 30)) == [], "as old as what was removed: too late"
    assert stream.progress["stateOperators"][0]["numRowsDroppedByWatermark"] == 1
    assert emitted(stream, spark, at(1, 5, 31)) == [(1, 5)], "a key that is gone is a new one"


def test_a_row_out_of_order_keeps_its_key(spark: SparkSession, tmp_path: Path) -> None:
    sql = f"SELECT k, v, ts FROM {TIMED} EMIT ON CHANGE KEY (k) ORDER BY v EXPIRE AFTER 1 MINUTE"
    stream = Stream(lambda: spark.sql(sql).select("k", "v"), tmp_path)
    for second, row in ((0, (1, 5)), (50, (1, 4)), (100, (2, 1))):
        assert emitted(stream, spark, at(*row, second)) == ([] if row[1] == 4 else [row])
    assert emitted(stream, spark, at(1, 3, 75)) == [], "5 was the last one"


def test_state_stays_flat_with_expiry(spark: SparkSession, tmp_path: Path) -> None:
    sql = f"SELECT k, v, ts FROM {TIMED} EMIT ON CHANGE KEY (k) EXPIRE AFTER 10 SECONDS"
    stream = stream_of(spark, tmp_path, sql)
    totals = []
    for second in range(0, 200, 10):
        rows = [at(second * 100 + n, n, second + n) for n in range(10)]
        assert len(emitted(stream, spark, *rows)) == 10
        totals.append(stream.progress["stateOperators"][0]["numRowsTotal"])
    assert set(totals[2:]) == {totals[2]}, totals
    assert totals[2] <= 20


def test_expiry_by_the_end_of_a_window(spark: SparkSession, tmp_path: Path) -> None:
    sql = (
        f"SELECT window, k, max(v) AS v FROM {TIMED} GROUP BY window(ts, '10 seconds'), k "
        "EMIT ON CHANGE KEY (k) EXPIRE AFTER 30 SECONDS"
    )
    stream = Stream(lambda: spark.sql(sql).select("k", "v"), tmp_path)
    assert emitted(stream, spark, at(1, 5, 0)) == [(1, 5)]
    assert emitted(stream, spark, at(2, 5, 39)) == [(2, 5)]
    assert stream.progress["stateOperators"][0]["numRowsTotal"] == 2
    assert emitted(stream, spark, at(2, 6, 40)) == [(2, 6)]
    assert stream.progress["stateOperators"][0]["numRowsTotal"] == 1


@pytest.mark.usefixtures("provider")
def test_a_row_beats_also_while_nothing_arrives(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", [at(1, 5), at(2, 7)])
    seen: list[Row] = []
    batches: list[int] = []

    def collect(batch: DataFrame, number: int) -> None:
        seen.extend(map(tuple, batch.collect()))
        batches.append(number)

    sql = (
        "SELECT k, max(v) AS v FROM STREAM t GROUP BY k EMIT ON CHANGE HEARTBEAT '100 milliseconds'"
    )
    query = (
        spark.sql(sql)
        .writeStream.foreachBatch(collect)
        .option("checkpointLocation", str(tmp_path))
        .start()
    )
    try:
        eventually(lambda: min(seen.count((1, 5)), seen.count((2, 7))) >= 4)
        progress = [each for each in query.recentProgress if each["batchId"] > 0]
        assert sum(each["numInputRows"] for each in progress) == 0
        beats = [each["stateOperators"][0]["customMetrics"]["numHeartbeats"] for each in progress]
        assert sum(beats) >= 2
        records = eddyline.progress(query)
        assert sum(record.emitted or 0 for record in records) >= 4
    finally:
        query.stop()


@pytest.mark.usefixtures("provider")
def test_a_change_starts_the_time_of_a_heartbeat_again(spark: SparkSession, tmp_path: Path) -> None:
    """An interval that no run lasts shows what is not yet due, and a short one what is."""
    sql = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) HEARTBEAT {}"
    stream = stream_of(spark, tmp_path, sql.format("1000 DAYS"))
    assert emitted(stream, spark, at(1, 5), at(2, 7)) == [(1, 5), (2, 7)]
    assert emitted(stream, spark, at(1, 5), at(3, 1)) == [(3, 1)]
    assert stream.dropped == 1
    stream.frame = lambda: spark.sql(sql.format("1 MILLISECOND"))
    assert emitted(stream, spark, at(1, 5), at(2, 8), at(4, 4)) == [(1, 5), (2, 8), (3, 1), (4, 4)]
    assert metric(stream, "numHeartbeats") == 2, "2 changed, 4 is new"
    assert stream.dropped == 1


def test_a_heartbeat_repeats_the_row_last_emitted(spark: SparkSession, tmp_path: Path) -> None:
    """Columns that are not compared are those of the row that was emitted, maps included."""
    sql = (
        "SELECT k, map('v', v) AS m, ts FROM STREAM t EMIT ON CHANGE EXCEPT (m, ts) KEY (k) "
        "HEARTBEAT {}"
    )
    stream = Stream(lambda: spark.sql(sql.format("100 DAYS")).select("k", "m"), tmp_path)
    assert emitted(stream, spark, at(1, 5)) == [(1, {"v": 5})]
    assert emitted(stream, spark, at(1, 6)) == []
    stream.frame = lambda: spark.sql(sql.format("1 MILLISECOND")).select("k", "m")
    assert emitted(stream, spark, at(2, 1)) == [(1, {"v": 5}), (2, {"v": 1})]
    assert emitted(stream, spark, at(1, 9)) == [(1, {"v": 9}), (2, {"v": 1})], "the row that came"


def test_progress_and_the_ui_have_a_metric_for_each_option(
    spark: SparkSession, tmp_path: Path
) -> None:
    sql = (
        f"SELECT k, v, ts FROM {TIMED} EMIT ON CHANGE EXCEPT (ts) KEY (k) ORDER BY ts "
        "EXPIRE AFTER 1 HOUR TOLERANCE 1 HEARTBEAT 1 HOUR"
    )
    stream = stream_of(spark, tmp_path, sql)
    assert len(emitted(stream, spark, at(1, 5))) == 1
    names = {
        "numToleratedUpdates": "number of tolerated updates",
        "numHeartbeats": "number of heartbeats",
        "numOutOfOrderRows": "number of out-of-order rows",
        "numExpiredKeys": "number of expired keys",
    }
    assert set(names) < set(stream.progress["stateOperators"][0]["customMetrics"])
    store = spark._jsparkSession.sharedState().statusStore()

    def is_shown() -> bool:
        found = store.executionsList()
        shown = [found.apply(i).metrics().toString() for i in range(found.size())[-5:]]
        return any(all(text in metrics for text in names.values()) for metrics in shown)

    eventually(is_shown)


def test_heartbeats_keep_a_watermark_downstream_alive(spark: SparkSession, tmp_path: Path) -> None:
    """The second stream closes windows by the time of emission, long after the last row came."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path))
    spark.sql("CREATE TABLE alive (k BIGINT, v BIGINT, emitted_at TIMESTAMP) USING parquet")
    spark.sql("CREATE TABLE closed (until TIMESTAMP, keys BIGINT) USING parquet")
    arrive(spark, "t", [at(1, 5), at(2, 7)])
    spark.sql(
        "START STREAMING QUERY first AS INSERT INTO alive SELECT k, v, current_timestamp() FROM "
        "(SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) HEARTBEAT '200 milliseconds')"
    )
    spark.sql(
        "START STREAMING QUERY second AS INSERT INTO closed "
        "SELECT window.end, approx_count_distinct(k) FROM "
        "STREAM alive WATERMARK emitted_at DELAY OF INTERVAL 0 SECONDS AS a "
        "GROUP BY window(emitted_at, '500 milliseconds') EMIT ON WINDOW CLOSE"
    )
    try:
        eventually(lambda: spark.table("closed").count() >= 3)
        assert spark.table("closed").agg({"keys": "max"}).first() == (2,)
        assert spark.table("alive").distinct().count() > spark.table("t").count()
    finally:
        for name in ("first", "second"):
            spark.sql(f"DROP STREAMING QUERY {name}")
