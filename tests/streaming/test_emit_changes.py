"""WITH CHANGE TYPE and APPLY AS DELETE in streams: inserts, updates and deletes as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from .harness import Row, Stream, arrive, at
from .test_emit_options import TIMED, metric, stream_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("table")

INSERT, BEFORE, AFTER, DELETE = "insert", "update_preimage", "update_postimage", "delete"
SUMS = "SELECT k, sum(v) AS v FROM STREAM t GROUP BY k HAVING sum(v) > 3"
NEWEST = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN v < 0"
ORDERED = f"SELECT k, v, ts FROM {TIMED} EMIT ON CHANGE OF (v) KEY (k) ORDER BY ts"


def emitted(stream: Stream, spark: SparkSession, *rows: str) -> list[Row]:
    """Writes rows of t, runs the stream over them; returns keys, values and types of changes."""
    if rows:
        arrive(spark, "t", rows)
    return [(*row[:2], row[-1]) for batch in stream.run() for row in batch]


@pytest.mark.usefixtures("provider")
def test_results_that_leave_having(spark: SparkSession, tmp_path: Path) -> None:
    stream = stream_of(spark, tmp_path, f"{SUMS} EMIT ON CHANGE WITH CHANGE TYPE BEFORE")
    assert emitted(stream, spark, at(1, 5), at(2, 1), "(NULL, 9L, NULL)") == [
        (1, 5, INSERT),
        (None, 9, INSERT),
    ]
    assert emitted(stream, spark, at(1, -2), at(2, 2), "(NULL, -1L, NULL)") == [
        (1, 5, DELETE),
        (None, 8, AFTER),
        (None, 9, BEFORE),
    ]
    assert metric(stream, "numDeletesEmitted") == 1
    assert emitted(stream, spark, at(1, -1), at(2, 5), "(NULL, 0L, NULL)") == [(2, 8, INSERT)]
    assert metric(stream, "numDeletesEmitted") == 0
    assert emitted(stream, spark, at(1, 9), at(2, -9), "(NULL, -9L, NULL)") == [
        (1, 11, INSERT),
        (2, 8, DELETE),
        (None, 8, DELETE),
    ]
    assert metric(stream, "numDeletesEmitted") == 2


def test_a_filter_over_the_result_and_columns_that_are_not_compared(
    spark: SparkSession, tmp_path: Path
) -> None:
    query = "SELECT * FROM (SELECT k, max(v) AS v, count(*) AS n FROM STREAM t GROUP BY k)"
    stream = stream_of(
        spark, tmp_path, f"{query} WHERE n % 2 = 1 EMIT ON CHANGE OF (v) WITH CHANGE TYPE kind"
    )
    assert emitted(stream, spark, at(1, 5), at(2, 3)) == [
        (1, 5, INSERT),
        (2, 3, INSERT),
    ]
    assert emitted(stream, spark, at(1, 1), at(2, 1), at(2, 2)) == [(1, 5, DELETE)]
    assert emitted(stream, spark, at(1, 6)) == [(1, 6, INSERT)]


def test_a_window_that_closed_is_final(spark: SparkSession, tmp_path: Path) -> None:
    by = "GROUP BY window(ts, '10 seconds'), k HAVING sum(v) > 3"
    query = f"SELECT k, sum(v) AS v FROM {TIMED} {by} EMIT ON CHANGE WITH CHANGE TYPE"
    stream = stream_of(spark, tmp_path, query)
    assert emitted(stream, spark, at(1, 5, 1)) == [(1, 5, INSERT)]
    assert emitted(stream, spark, at(1, 1, 30)) == []
    assert stream.progress["stateOperators"][0]["numRowsTotal"] == 1, "the first window is gone"
    assert emitted(stream, spark, at(1, -5, 2)) == []


@pytest.mark.usefixtures("provider")
def test_rows_that_delete_their_key(spark: SparkSession, tmp_path: Path) -> None:
    stream = stream_of(spark, tmp_path, f"{NEWEST} WITH CHANGE TYPE BEFORE")
    rows = [at(1, 5), at(1, 6), at(1, -1), at(1, 7), at(2, -1)]
    assert emitted(stream, spark, *rows) == [
        (1, 5, INSERT),
        (1, 5, BEFORE),
        (1, 6, DELETE),
        (1, 6, AFTER),
        (1, 7, INSERT),
    ]
    assert metric(stream, "numRowsEmitted") == 5
    assert emitted(stream, spark, at(1, 7), at(1, -1), at(1, -2)) == [(1, 7, DELETE)]
    assert stream.progress["stateOperators"][0]["numRowsTotal"] == 0


@pytest.mark.usefixtures("provider")
def test_a_delete_keeps_older_rows_away(spark: SparkSession, tmp_path: Path) -> None:
    query = f"{ORDERED} APPLY AS DELETE WHEN v < 0 WITH CHANGE TYPE"
    stream = stream_of(spark, tmp_path, query)
    assert emitted(stream, spark, at(1, 5, 10), at(2, -1, 10)) == [(1, 5, INSERT)]
    assert emitted(stream, spark, at(1, -1, 20), at(2, 3, 9)) == [(1, 5, DELETE)]
    assert metric(stream, "numOutOfOrderRows") == 1
    assert emitted(stream, spark, at(1, 6, 19), at(2, 4, 11)) == [(2, 4, INSERT)]
    assert emitted(stream, spark, at(1, 6, 21), at(2, -4, 1)) == [(1, 6, INSERT)]


def test_a_key_that_expires_is_deleted(spark: SparkSession, tmp_path: Path) -> None:
    query = f"{ORDERED} EXPIRE AFTER 10 SECONDS APPLY AS DELETE WHEN v < 0 WITH CHANGE TYPE"
    stream = stream_of(spark, tmp_path, query)
    assert emitted(stream, spark, at(1, 5, 10), at(2, 5, 12)) == [(1, 5, INSERT), (2, 5, INSERT)]
    assert emitted(stream, spark, at(2, -1, 13), at(3, 5, 40)) == [
        (2, 5, DELETE),
        (3, 5, INSERT),
        (1, 5, DELETE),
    ]
    assert metric(stream, "numExpiredKeys") == 2, "with the mark of a deleted key"


def test_a_heartbeat_is_an_update(spark: SparkSession, tmp_path: Path) -> None:
    query = "SELECT k, v FROM STREAM t EMIT ON CHANGE KEY (k) HEARTBEAT 1 MILLISECOND"
    stream = stream_of(spark, tmp_path, f"{query} WITH CHANGE TYPE")
    assert emitted(stream, spark, at(1, 5)) == [(1, 5, INSERT)]
    assert emitted(stream, spark, at(2, 5)) == [(1, 5, AFTER), (2, 5, INSERT)]
    both = stream_of(spark, tmp_path / "both", f"{query} WITH CHANGE TYPE BEFORE")
    emitted(both, spark)
    assert emitted(both, spark, at(3, 5))[:2] == [(1, 5, AFTER), (1, 5, BEFORE)]


WIDE = "SELECT k, v, ts FROM STREAM t EMIT ON CHANGE {} KEY (k)"


@pytest.mark.parametrize("compared", ["", "OF (v)"])
def test_a_state_without_the_row(spark: SparkSession, tmp_path: Path, compared: str) -> None:
    if not compared:
        spark.conf.set("spark.eddyline.emit.keyState", "hash")
    emitted(stream_of(spark, tmp_path, WIDE.format(compared)), spark, at(1, 5))
    typed = stream_of(spark, tmp_path, WIDE.format(compared) + " WITH CHANGE TYPE")
    with pytest.raises(AnalysisException, match=r"OPTION_ADDED.* WITH CHANGE TYPE"):
        emitted(typed, spark)


def test_a_hash_is_no_row_of_two_numbers(spark: SparkSession, tmp_path: Path) -> None:
    query = "SELECT k, v, v + 1 AS w FROM STREAM t EMIT ON CHANGE OF (k) KEY (k)"
    emitted(stream_of(spark, tmp_path, query), spark, at(1, 5))
    with pytest.raises(AnalysisException, match=r"OPTION_ADDED.* WITH CHANGE TYPE"):
        emitted(stream_of(spark, tmp_path, f"{query} WITH CHANGE TYPE"), spark)


def test_a_column_that_is_null_in_another_branch(spark: SparkSession, tmp_path: Path) -> None:
    """Spark plans a micro-batch without the branches that have no rows in it."""
    spark.sql("CREATE TABLE resets LIKE t")
    rows = "SELECT k, v FROM STREAM t UNION ALL SELECT k, 0L AS v FROM STREAM resets"
    stream = stream_of(spark, tmp_path, f"{rows} EMIT ON CHANGE KEY (k) WITH CHANGE TYPE BEFORE")
    assert emitted(stream, spark, "(1L, CAST(NULL AS BIGINT), NULL)") == [(1, None, INSERT)]
    arrive(spark, "resets", [at(1, 7)])
    assert emitted(stream, spark) == [(1, 0, AFTER), (1, None, BEFORE)]


def test_a_filter_above_that_holds_for_one_branch(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE others LIKE t")
    rows = "SELECT k, v FROM STREAM t WHERE v > 0 UNION ALL SELECT k, v FROM STREAM others"
    beating = f"SELECT * FROM ({rows} EMIT ON CHANGE KEY (k) HEARTBEAT 1 MILLISECOND) WHERE v > 0"
    stream = stream_of(spark, tmp_path, beating)
    arrive(spark, "others", [at(1, -5)])
    assert stream.run() == []
    arrive(spark, "t", [at(2, 7)])
    assert stream.run() == [[(2, 7)]], "the row that is repeated is filtered, too"


@pytest.mark.parametrize("query", [SUMS + " EMIT ON CHANGE", NEWEST.partition(" APPLY")[0]])
def test_a_state_that_has_the_row(spark: SparkSession, tmp_path: Path, query: str) -> None:
    emitted(stream_of(spark, tmp_path, query), spark, at(1, 5))
    typed = stream_of(spark, tmp_path, f"{query} WITH CHANGE TYPE")
    assert emitted(typed, spark, at(1, 6))[0][-1] == AFTER


def test_what_hides_the_type(spark: SparkSession, tmp_path: Path) -> None:
    changes = f"({SUMS} EMIT ON CHANGE WITH CHANGE TYPE)"
    named = f"WITH c AS {changes} SELECT k, v FROM (SELECT * FROM c)"
    for query in (f"SELECT k, v FROM {changes}", named):
        with pytest.raises(AnalysisException, match=r"EDDYLINE_EMIT.CHANGE_TYPE_DROPPED"):
            emitted(stream_of(spark, tmp_path / "dropped", query), spark)
    told = f"SELECT k, _change_type = 'delete' AS gone FROM {changes}"
    stream = stream_of(spark, tmp_path / "told", told)
    assert emitted(stream, spark, at(1, 5)) == [(1, False, False)]
    present = f"SELECT k FROM {changes} WHERE _change_type <> 'delete'"
    assert emitted(stream_of(spark, tmp_path / "present", present), spark) == [(1, 1)]


def test_the_name_that_the_error_proposes_is_free(spark: SparkSession) -> None:
    query = (
        "SELECT k AS KIND, max(v) AS kind_2, min(v) AS _change_type FROM t GROUP BY k "
        "EMIT ON CHANGE WITH CHANGE TYPE"
    )
    with pytest.raises(AnalysisException) as refused:
        spark.sql(query)
    assert "WITH CHANGE TYPE kind_3." in str(refused.value)
    assert spark.sql(f"{query} kind_3").columns[-1] == "kind_3"


@pytest.mark.parametrize(
    ("option", "name"), [("WITH CHANGE TYPE", "CHANGE_TYPE"), ("HEARTBEAT 1 DAY", "HEARTBEAT")]
)
def test_over_a_deduplication_of_results(spark: SparkSession, option: str, name: str) -> None:
    """It lets each value through once, so a later result of a key may never come."""
    totals = spark.readStream.table("t").groupBy("k").agg({"v": "sum"}).toDF("k", "v")
    totals.dropDuplicates(["v"]).createOrReplaceTempView("once")
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"SELECT k, v FROM once EMIT ON CHANGE KEY (k) {option}")
    assert caught.value.getCondition() == f"EDDYLINE_EMIT.{name}_OVER_FILTER"
