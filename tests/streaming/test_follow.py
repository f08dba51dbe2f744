"""`eddyline.follow`: the rows of a streaming query as they come."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as f

import eddyline
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEST = "SELECT k, max(v) AS top FROM STREAM readings GROUP BY k"


@pytest.fixture(autouse=True)
def readings(spark: SparkSession) -> None:
    spark.sql("CREATE TABLE readings (k STRING, v INT) USING parquet")
    spark.sql("INSERT INTO readings VALUES ('a', 1), ('b', 2), ('a', 3)")


def test_rows_come_until_the_limit(spark: SparkSession) -> None:
    rows = eddyline.follow(f"{BEST} EMIT ON CHANGE", limit=3, spark=spark)
    assert sorted([next(rows), next(rows)]) == [("a", 3), ("b", 2)]
    spark.sql("INSERT INTO readings VALUES ('a', 2), ('b', 7)")
    assert list(rows) == [("b", 7)]
    assert rows.taken == 3
    assert spark.streams.active == []


def test_available_now_and_no_emit(spark: SparkSession) -> None:
    rows = eddyline.follow(spark.sql(BEST), available_now=True)
    assert sorted(rows) == [("a", 3), ("b", 2)], "as EMIT ON UPDATE"
    rows = eddyline.follow(spark.readStream.table("readings"), available_now=True, limit=2)
    assert len(list(rows)) == 2
    assert spark.streams.active == []


def test_leaving_the_loop_stops_the_query(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.streaming.checkpointLocation", (root := _root(spark)))
    for row in eddyline.follow(spark.sql(f"{BEST} EMIT ON UPDATE")):
        assert len(spark.streams.active) == 1
        assert list(Path(root).iterdir())
        assert row.k in ("a", "b")
        break
    assert spark.streams.active == []
    assert list(Path(root).iterdir()) == []


def _root(spark: SparkSession) -> str:
    return str(Path(spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")) / "followed")


def test_close_gives_up_the_rows_that_wait(spark: SparkSession) -> None:
    with eddyline.follow(spark.sql("SELECT * FROM STREAM readings")) as rows:
        next(rows)
    assert list(rows) == []
    assert rows.taken == 1


def test_show(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    query = "SELECT k, struct(max(v)) AS top FROM STREAM readings WHERE k = 'a' GROUP BY k"
    eddyline.follow(f"{query} EMIT ON CHANGE", available_now=True, spark=spark).show()
    assert capsys.readouterr().out == "+-+---+\n|k|top|\n+-+---+\n|a|{3}|\n+-+---+\n1 row\n"


def test_the_error_of_the_query_is_raised(spark: SparkSession) -> None:
    rows = eddyline.follow(spark.sql("SELECT raise_error(k) FROM STREAM readings"))
    with pytest.raises(PySparkException) as caught:
        next(rows)
    assert caught.value.getCondition() == "USER_RAISED_EXCEPTION"
    assert spark.streams.active == []
    with pytest.raises(PySparkException) as caught:
        eddyline.follow(f"{BEST} EMIT ON WINDOW CLOSE", spark=spark)
    assert caught.value.getCondition() == "EDDYLINE_EMIT.WINDOW_MISSING"


def test_the_error_in_update_mode_is_raised(spark: SparkSession) -> None:
    """Append would refuse any aggregate without a watermark."""
    with pytest.raises(PySparkException) as caught:
        list(eddyline.follow(spark.sql("SELECT count(DISTINCT v) FROM STREAM readings")))
    assert "approx_count_distinct" in str(caught.value)


def test_rows_that_only_append_has(spark: SparkSession) -> None:
    timed = (
        "(SELECT * FROM STREAM readings "
        "WATERMARK timestamp_seconds(v) AS ts DELAY OF INTERVAL 1 SECOND)"
    )
    query = f"SELECT a.k FROM {timed} AS a LEFT JOIN {timed} AS b ON a.k = b.k AND a.ts = b.ts"
    assert sorted(eddyline.follow(query, available_now=True, spark=spark)) == [
        ("a",),
        ("a",),
        ("b",),
    ]


def test_a_query_without_a_stream(spark: SparkSession) -> None:
    for query in (spark.table("readings"), spark.range(1).select(f.lit(1))):
        with pytest.raises(eddyline.EddylineError) as caught:
            eddyline.follow(query)
        assert caught.value.condition == "EDDYLINE_FOLLOW.NOT_STREAMING"


def test_a_query_that_was_left_is_freed(spark: SparkSession) -> None:
    with eddyline.follow(spark.sql(f"{BEST} EMIT ON UPDATE")) as rows:
        next(rows)
        (query,) = spark.streams.active
        jvm: Any = spark._jvm
        left = jvm.java.lang.ref.WeakReference(query._jsq)
    del query, rows

    def is_freed() -> bool:
        gc.collect()
        jvm.System.gc()
        return left.get() is None

    eventually(is_freed)
