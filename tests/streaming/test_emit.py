"""EMIT ON CHANGE in streams: emitted rows, dropped rows, and their metrics."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException

import eddyline
from waiting import eventually

from .harness import Stream, arrive

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("table")

AGGREGATE = "SELECT k, max(v) AS top FROM STREAM t GROUP BY k EMIT ON CHANGE"
CHANGELOG = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k)"


def rows(*pairs: tuple[int, int]) -> list[str]:
    return [f"({k}L, {v}L, TIMESTAMP'2026-01-01 00:00:10')" for k, v in pairs]


@pytest.mark.usefixtures("provider")
def test_unchanged_results_are_dropped(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(lambda: spark.sql(AGGREGATE), tmp_path)
    arrive(spark, "t", rows((1, 5), (2, 7)))
    assert stream.run() == [[(1, 5), (2, 7)]]
    arrive(spark, "t", rows((1, 3), (2, 9), (3, 1)))
    assert stream.run() == [[(2, 9), (3, 1)]]
    assert stream.dropped == 1
    assert stream.progress["stateOperators"][0]["numRowsUpdated"] == 2
    arrive(spark, "t", rows((1, 5), (2, 9)))
    assert stream.run() == []
    assert stream.dropped == 3
    assert stream.progress["stateOperators"][0]["numRowsUpdated"] == 0, "nothing was written"


def test_key_in_the_order_of_arrival(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(lambda: spark.sql(CHANGELOG), tmp_path)
    arrive(spark, "t", rows((1, 1), (1, 1), (1, 2), (1, 1)))
    assert stream.run() == [[(1, 1), (1, 1), (1, 2)]]
    assert stream.dropped == 1


def test_a_tie_of_variants(spark: SparkSession, tmp_path: Path) -> None:
    """Spark cannot hash a VARIANT."""
    keyed = "SELECT k, parse_json(string(v)) AS j FROM STREAM t EMIT ON CHANGE KEY (k) ORDER BY k"
    sql = f"SELECT k, variant_get(j, '$', 'BIGINT') AS v FROM ({keyed})"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 5), (1, 6)))
    assert stream.run() == [[(1, 5), (1, 6)]]


def test_key_over_a_join(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE names USING parquet AS SELECT 1L AS k, 'one' AS name")
    sql = (
        "SELECT name, max(v) AS top FROM STREAM t JOIN names USING (k) GROUP BY name "
        "EMIT ON CHANGE KEY (name)"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 5), (2, 7)))
    assert stream.run() == [[("one", 5)]]
    arrive(spark, "t", rows((1, 4)))
    assert stream.run() == []


def test_a_python_function_among_the_keys(spark: SparkSession, tmp_path: Path) -> None:
    """Spark evaluates the function below the aggregation."""
    spark.udf.register("parity", lambda k: k % 2, "bigint")
    sql = "SELECT parity(k) + 1 AS p, max(v) AS top FROM STREAM t GROUP BY parity(k) EMIT ON CHANGE"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 5), (2, 7), (3, 6)))
    assert stream.run() == [[(1, 7), (2, 6)]]
    arrive(spark, "t", rows((3, 4), (4, 8)))
    assert stream.run() == [[(1, 8)]]
    with pytest.raises(AnalysisException, match="is a Python function"):
        spark.sql("SELECT parity(max(v)) FROM STREAM t GROUP BY parity(k) EMIT ON CHANGE")


@pytest.mark.parametrize("clause", ["ON CHANGE", "ON CHANGE KEY (k)", "ON UPDATE"])
def test_an_aggregation_joined_with_a_stream(spark: SparkSession, clause: str) -> None:
    sql = (
        "SELECT c.k, c.n, t.v FROM (SELECT k, count(*) AS n FROM STREAM t GROUP BY k) AS c "
        f"JOIN STREAM t AS t ON c.k = t.k EMIT {clause}"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql)
    assert caught.value.getCondition() == "EDDYLINE_EMIT.JOINED_AGGREGATION"
    assert "KEY (column)" not in str(caught.value)
    spark.conf.set("spark.sql.streaming.statefulOperator.checkCorrectness.enabled", "false")
    if clause == "ON CHANGE KEY (k)":
        assert spark.sql(sql).isStreaming


def test_floating_keys_as_in_group_by(spark: SparkSession, tmp_path: Path) -> None:
    sql = (
        "SELECT CASE v WHEN 0 THEN -0.0D WHEN 1 THEN 0.0D ELSE double('NaN') END AS d, k "
        "FROM STREAM t EMIT ON CHANGE KEY (d)"
    )
    stream = Stream(lambda: spark.sql(sql).select("k"), tmp_path)
    arrive(spark, "t", rows((7, 0), (7, 1), (7, 2), (7, 3)))
    assert stream.run() == [[(7,), (7,)]], "one zero and one NaN"


def test_maps_are_equal_in_any_order(spark: SparkSession, tmp_path: Path) -> None:
    sql = (
        "SELECT k, if(v > 0, map('a', 1, 'b', 2), map('b', 2, 'a', 1)) AS m FROM STREAM t "
        "EMIT ON CHANGE KEY (k)"
    )
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 1)))
    assert stream.run() == [[(1, {"a": 1, "b": 2})]]
    arrive(spark, "t", rows((1, 0)))
    assert stream.run() == []


def test_a_null_in_a_map_is_no_zero(spark: SparkSession, tmp_path: Path) -> None:
    """The code that Spark 4.3 generates to sort a map's entries takes NULL for 0."""
    sql = "SELECT k, map('a', if(v = 1, NULL, 0)) AS m FROM STREAM t EMIT ON CHANGE KEY (k)"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 1)))
    assert stream.run() == [[(1, {"a": None})]]
    arrive(spark, "t", rows((1, 0)))
    assert stream.run() == [[(1, {"a": 0})]]
    arrive(spark, "t", rows((1, 1)))
    assert stream.run() == [[(1, {"a": None})]]


@pytest.mark.parametrize("sql", [AGGREGATE, CHANGELOG], ids=["aggregation", "changelog"])
def test_progress(spark: SparkSession, tmp_path: Path, sql: str) -> None:
    arrive(spark, "t", rows((1, 5), (2, 7)))
    sql = sql.replace("STREAM t", "STREAM t WATERMARK ts DELAY OF INTERVAL 4 SECONDS")
    query = (
        spark.sql(sql)
        .writeStream.foreachBatch(lambda batch, _: batch.collect())
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .start()
    )
    query.processAllAvailable()
    arrive(spark, "t", rows((1, 5), (2, 8)))
    query.processAllAvailable()
    query.stop()
    first, *_, last = [record for record in eddyline.progress(query) if record.input_rows]
    assert (first.batch, first.input_rows, first.emitted, first.dropped) == (0, 2, 2, 0)
    assert (last.input_rows, last.emitted, last.dropped, last.state_rows) == (2, 1, 1, 2)
    assert last.dropped_per_second > 0
    assert last.state_bytes > 0
    assert first.watermark is None
    assert last.watermark == datetime(2026, 1, 1, 0, 0, 6, tzinfo=UTC)


def test_progress_of_a_query_without_emit(spark: SparkSession, tmp_path: Path) -> None:
    arrive(spark, "t", rows((1, 5)))
    query = (
        spark.sql("SELECT k FROM STREAM t")
        .writeStream.format("noop")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    (record,) = eddyline.progress(query)
    assert (record.emitted, record.dropped, record.state_rows) == (1, 0, 0)


def test_the_ui_shows_what_was_dropped(spark: SparkSession, tmp_path: Path) -> None:
    stream = Stream(lambda: spark.sql(AGGREGATE), tmp_path)
    arrive(spark, "t", rows((1, 5)))
    store = spark._jsparkSession.sharedState().statusStore()

    def newer_than(last: int) -> list[Any]:
        found = store.executionsList()
        every = [found.apply(number) for number in range(found.size())]
        return [each for each in every if each.executionId() > last]

    def is_shown() -> bool:
        texts = [each.metrics().toString() for each in newer_than(before)]
        return any("number of idempotent updates dropped" in text for text in texts)

    before = max((each.executionId() for each in newer_than(-1)), default=-1)
    stream.run()
    eventually(is_shown)


def test_the_plan_names_the_columns(spark: SparkSession, tmp_path: Path) -> None:
    sql = "SELECT k, max(v) AS top, count(*) AS n FROM STREAM t GROUP BY k EMIT ON CHANGE OF (top)"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 5)))
    stream.run()
    line = next(line for line in stream.plan.splitlines() if "EmitOnChange" in line)
    for part in ("keys=[k#", "columns=[k#", "compared=[top#"):
        assert part in line
    assert "StateStoreSave" not in stream.plan
    explained = spark.sql(f"EXPLAIN EXTENDED {sql}").collect()[0][0]
    assert "Emit ON CHANGE OF" in explained


@pytest.mark.parametrize(("width", "hashed"), [(16, False), (17, True)])
def test_wide_rows_are_hashed(
    spark: SparkSession, tmp_path: Path, width: int, hashed: bool
) -> None:
    """Rows of more than 128 bytes by their types are hashed; a BIGINT counts as 8."""
    columns = ", ".join(f"v + {i} AS v{i}" for i in range(width))
    sql = f"SELECT k, {columns} FROM STREAM t EMIT ON CHANGE KEY (k)"
    stream = Stream(lambda: spark.sql(sql), tmp_path)
    arrive(spark, "t", rows((1, 5)))
    assert len(stream.run()[0][0]) == width + 1
    assert (", hashed" in stream.plan) == hashed
    arrive(spark, "t", rows((1, 5)))
    assert stream.run() == []


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize("sql", [AGGREGATE, CHANGELOG], ids=["aggregation", "changelog"])
def test_a_batch_that_is_only_looked_at_is_committed(
    spark: SparkSession, tmp_path: Path, sql: str
) -> None:
    """The batch is committed as in plain Update mode; `isEmpty` reads only first rows."""
    empty = []
    for values in [(1, 5), (2, 7), (3, 1), (4, 2)], [(1, 5), (2, 8), (3, 9), (4, 9)], [(1, 5)]:
        arrive(spark, "t", rows(*values))
        query = (
            spark.sql(sql)
            .writeStream.foreachBatch(lambda batch, _: empty.append(batch.isEmpty()))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        (operator,) = query.lastProgress["stateOperators"]
    assert empty == [False, False, True]
    assert (operator["numRowsTotal"], operator["numRowsUpdated"]) == (4, 0)
    assert operator["customMetrics"]["numIdempotentUpdatesDropped"] == 1


def test_a_plan_of_another_shape_fails(spark: SparkSession, tmp_path: Path) -> None:
    """The plan never runs as plain Update mode."""
    jvm = spark._jvm
    added = [jvm.io.eddyline.spark.emit.RepartitionBelowEmit()]
    experimental = spark._jsparkSession.experimental()
    getattr(experimental, "extraOptimizations_$eq")(jvm.PythonUtils.toSeq(added))
    arrive(spark, "t", rows((1, 5)))
    stream = Stream(lambda: spark.sql(AGGREGATE), tmp_path)
    with pytest.raises(StreamingQueryException) as caught:
        stream.run()
    assert "EDDYLINE_EMIT.UNEXPECTED_PLAN" in str(caught.value)
    assert stream.batches == []
