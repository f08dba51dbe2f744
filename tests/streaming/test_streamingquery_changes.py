"""UPSERT INTO a table that can MERGE, of changes with their type: what is gone is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from .streamingquery_harness import NOW, finish, merging_table, refused, rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("events_and_copy")
TYPED = "EMIT ON CHANGE WITH CHANGE TYPE"
HIGH = f"SELECT k, sum(v) AS v FROM STREAM events GROUP BY k HAVING sum(v) > 10 {TYPED}"
WINDOW = "STRUCT<start: TIMESTAMP, end: TIMESTAMP>"
NEWEST = "EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN v IS NULL WITH CHANGE TYPE"


@pytest.fixture
def totals(spark: SparkSession) -> str:
    """Returns a table of a catalog whose tables can MERGE, which has rows."""
    table = merging_table(spark)
    spark.sql(f"INSERT INTO {table} VALUES (1, 0, 'kept'), (9, 9, 'kept')")
    return table


@pytest.mark.parametrize("typed", [TYPED, f"{TYPED} kind BEFORE"])
def test_a_row_that_leaves_having_is_deleted(spark: SparkSession, totals: str, typed: str) -> None:
    query = HIGH.replace(TYPED, typed)
    spark.sql("INSERT INTO events VALUES (1, 20), (2, 30), (3, 1), (NULL, 11)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) {query}")
    both = [(1, 20, "kept"), (2, 30, None), (9, 9, "kept"), (None, 11, None)]
    assert rows_of(spark, totals) == both
    spark.sql("INSERT INTO events VALUES (1, -15), (2, 1), (3, 2), (NULL, -1)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, totals) == [(2, 31, None), (9, 9, "kept")]
    spark.sql("INSERT INTO events VALUES (1, 15)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, totals) == [(1, 20, None), (2, 31, None), (9, 9, "kept")]


def test_a_filter_above_the_aggregation_and_below_emit(spark: SparkSession, totals: str) -> None:
    query = "SELECT k, v FROM (SELECT k, max(v) - min(v) AS v FROM STREAM events GROUP BY k) {}"
    spark.sql("INSERT INTO events VALUES (1, 20), (2, 30)")
    finish(
        spark,
        f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) "
        + query.format(f"WHERE v < 5 {TYPED}"),
    )
    assert rows_of(spark, totals) == [(1, 0, "kept"), (2, 0, None), (9, 9, "kept")]
    spark.sql("INSERT INTO events VALUES (1, 21), (2, 50)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, totals) == [(1, 1, "kept"), (9, 9, "kept")]


def test_the_last_change_of_a_key_in_a_micro_batch_counts(spark: SparkSession, totals: str) -> None:
    query = f"SELECT k, v FROM STREAM events {NEWEST}"
    order = "INSERT INTO events SELECT /*+ COALESCE(1) */ * FROM VALUES "
    spark.sql(order + "(1, 1), (1, NULL), (2, 1), (2, NULL), (2, 3), (3, 1), (3, 2), (9, NULL)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) {query}")
    assert rows_of(spark, totals) == [(2, 3, None), (3, 2, None), (9, 9, "kept")]
    spark.sql(order + "(3, NULL), (3, 4), (2, NULL), (4, NULL)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, totals) == [(3, 4, None), (9, 9, "kept")]


def test_the_number_of_the_micro_batch_and_columns_above_emit(
    spark: SparkSession, totals: str
) -> None:
    spark.sql(f"CREATE TABLE {totals}_of (id INT, twice BIGINT, batch BIGINT)")
    query = f"SELECT change, v * 2 AS twice, k AS id FROM ({HIGH} change)"
    spark.sql("INSERT INTO events VALUES (1, 20), (2, 30)")
    sink = f"UPSERT INTO {totals}_of KEY (id) WITH BATCH ID batch"
    finish(spark, f"START STREAMING QUERY q {NOW} AS {sink} {query}")
    spark.sql("INSERT INTO events VALUES (1, -20), (2, 1)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, f"{totals}_of") == [(2, 62, 1)]


def test_the_option_is_added_to_a_query_that_ran(spark: SparkSession, totals: str) -> None:
    sink = f"UPSERT INTO {totals} KEY (k)"
    spark.sql("INSERT INTO events VALUES (1, 20), (2, 30)")
    untyped = HIGH.replace(TYPED, "EMIT ON CHANGE")
    finish(spark, f"CREATE STREAMING QUERY q {NOW} AS {sink} {untyped}")
    spark.sql("INSERT INTO events VALUES (2, -25)")
    finish(spark, f"CREATE OR REPLACE STREAMING QUERY q {NOW} AS {sink} {HIGH}")
    assert rows_of(spark, totals) == [(1, 20, "kept"), (9, 9, "kept")]


def test_a_state_that_has_only_hashes(spark: SparkSession, totals: str) -> None:
    keyed = "SELECT k, v FROM STREAM events EMIT ON CHANGE KEY (k)"
    head = f"STREAMING QUERY q {NOW} OPTIONS ('spark.eddyline.emit.keyState' 'hash')"
    sink = f"UPSERT INTO {totals} KEY (k)"
    spark.sql("INSERT INTO events VALUES (1, 20)")
    finish(spark, f"CREATE {head} AS {sink} {keyed}")
    typed = f"{sink} {keyed} WITH CHANGE TYPE"
    differences = spark.sql(f"VALIDATE {head} AS {typed}").collect()
    kept = [row for row in differences if "a hash" in str(row)]
    assert kept, differences
    loses = "EDDYLINE_STREAMING_QUERY.LOSES_STATE"
    assert refused(spark, f"CREATE OR REPLACE {head} AS {typed}") == loses


def test_an_insert_stores_the_type(spark: SparkSession, totals: str) -> None:
    spark.sql(f"CREATE TABLE {totals}_of (k INT, v BIGINT, kind STRING)")
    spark.sql("INSERT INTO events VALUES (1, 20)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS INSERT INTO {totals}_of {HIGH}")
    spark.sql("INSERT INTO events VALUES (1, -20)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, f"{totals}_of") == [(1, 20, "delete"), (1, 20, "insert")]


@pytest.mark.parametrize(
    ("columns", "grouping", "key", "left"),
    [
        ("'all' AS g", "GROUP BY 'all'", "g", [("all", 12)]),
        (
            "k, grouping_id() AS g",
            "GROUP BY ROLLUP (k)",
            "k, g",
            [(2, 0, 11), (None, 1, 12)],
        ),
        ("k AS a, k AS b", "GROUP BY k", "b", [(2, 2, 11)]),
        ("k AS a, k AS b", "GROUP BY k", "a, b", [(2, 2, 11)]),
    ],
)
def test_what_can_be_the_key(
    spark: SparkSession, columns: str, grouping: str, key: str, left: list[object]
) -> None:
    names = [column.split()[-1] for column in columns.split(",")]
    types = ["STRING" if "'" in column else "INT" for column in columns.split(",")]
    table = f"{merging_table(spark)}_of"
    listed = ", ".join(f"{name} {kind}" for name, kind in zip(names, types, strict=True))
    spark.sql(f"CREATE TABLE {table} ({listed}, v BIGINT)")
    query = f"SELECT {columns}, sum(v) AS v FROM STREAM events {grouping} HAVING v > 10 {TYPED}"
    spark.sql("INSERT INTO events VALUES (1, 20), (2, 10), (2, 1)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {table} KEY ({key}) {query}")
    spark.sql("INSERT INTO events VALUES (1, -19)")
    finish(spark, "START STREAMING QUERY q")
    assert rows_of(spark, table) == left


@pytest.mark.parametrize("window", ["window(at, '1 minute')", "session_window(at, '10 seconds')"])
@pytest.mark.parametrize("key", ["w", "start", "start, w"])
def test_a_window_or_its_start_is_the_key(
    spark: SparkSession, totals: str, window: str, key: str
) -> None:
    table = f"{totals}_of"
    spark.sql(f"CREATE TABLE {table} (start TIMESTAMP, w {WINDOW}, k INT, v BIGINT)")
    rows = (
        "(SELECT k, v, timestamp_seconds(v) AS at FROM STREAM events) "
        "WATERMARK at DELAY OF INTERVAL 1 HOUR"
    )
    name = window.partition("(")[0]
    query = (
        f"SELECT {name}.start, {name} AS w, k, sum(v) AS v FROM {rows} GROUP BY k, {window} "
        f"HAVING sum(v) < 20 {TYPED}"
    )
    spark.sql("INSERT INTO events VALUES (1, 2), (1, 1), (2, 8)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {table} KEY (k, {key}) {query}")
    spark.sql("INSERT INTO events VALUES (1, 12), (2, 4), (2, 10)")
    finish(spark, "START STREAMING QUERY q")
    left = spark.sql(f"SELECT k, unix_seconds(w.start), v FROM {table}").collect()
    assert left == [(1, 1 if name == "session_window" else 0, 15)]


@pytest.mark.parametrize(
    "stored", ["STRUCT<a: INT, b: STRING>", "STRUCT<b: STRING, a: BIGINT>", "{0} NOT NULL"]
)
def test_a_struct_is_the_key(spark: SparkSession, totals: str, stored: str) -> None:
    table, pair = f"{totals}_of", "STRUCT<a: INT, b: STRING>"
    spark.sql(f"CREATE TABLE {table} (p {stored.format(pair)}, v BIGINT)")
    nothing = "named_struct('a', CAST(NULL AS INT), 'b', CAST(NULL AS STRING))"
    value = f"CASE k WHEN 0 THEN NULL WHEN 1 THEN {nothing} ELSE named_struct('a', k, 'b', 'x') END"
    if stored == "{0} NOT NULL":
        value = value.replace("WHEN 0 THEN NULL ", "")
    query = (
        f"SELECT p, sum(v) AS v FROM (SELECT {value} AS p, v FROM STREAM events) "
        f"GROUP BY p HAVING sum(v) > 10 {TYPED}"
    )
    spark.sql("INSERT INTO events VALUES (0, 20), (1, 20), (2, 20)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {table} KEY (p) {query}")
    assert len(rows_of(spark, table)) == 3
    spark.sql("INSERT INTO events VALUES (0, -20), (2, 1)")
    finish(spark, "START STREAMING QUERY q")
    left = spark.sql(f"SELECT p IS NULL, p.a, v FROM {table}").collect()
    assert sorted(left, key=str) == [(False, 2, 21), (False, None, 20)]


@pytest.mark.parametrize(
    "stored", ["STRUCT<a: FLOAT, b: STRING>", "STRUCT<a: INT, b: STRING COLLATE UTF8_LCASE>"]
)
def test_a_struct_in_which_two_keys_are_one_is_refused(
    spark: SparkSession, totals: str, stored: str
) -> None:
    spark.sql(f"CREATE TABLE {totals}_of (p {stored}, v BIGINT)")
    key = "struct(k AS a, string(k) AS b)"
    query = f"SELECT {key} AS p, sum(v) AS v FROM STREAM events GROUP BY {key} {TYPED}"
    start = f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals}_of KEY (p) {query}"
    assert refused(spark, start) == "EDDYLINE_STREAMING_QUERY.CHANGES_KEY_TYPE"


@pytest.mark.parametrize("inner", ["WITH s AS ({}) SELECT * FROM s", "SELECT * FROM ({})"])
def test_what_keeps_each_row_of_an_aggregation(
    spark: SparkSession, totals: str, inner: str
) -> None:
    query = inner.format("SELECT k, sum(v) AS v FROM STREAM events GROUP BY k")
    finish(
        spark,
        f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY (k) {query} "
        "EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN v < 5 HEARTBEAT 1 DAY WITH CHANGE TYPE",
    )


@pytest.mark.parametrize(
    ("condition", "typed"),
    [
        ("uuid() IS NOT NULL", "uuid() IS NOT NULL"),
        ("k NOT IN (SELECT 2)", "k NOT IN (SELECT 2)"),
        ("uuid() LIKE 'a%'", "uuid() LIKE 'a%'"),
        ("like(uuid(), 'a%')", "like(uuid(), 'a%')"),
        ("rand() + 1 BETWEEN 1 AND 2", "rand() + 1 BETWEEN 1 AND 2"),
    ],
)
def test_a_refused_condition_is_shown_whole(
    spark: SparkSession, condition: str, typed: str
) -> None:
    clause = f"EMIT ON CHANGE KEY (k) APPLY AS DELETE WHEN {condition} WITH CHANGE TYPE"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"SELECT k, v FROM STREAM events {clause}")
    assert caught.value.getMessageParameters() == {"condition": typed, "type": "BOOLEAN"}


OTHER_KEYS = [
    ("v", HIGH),
    ("k, v", HIGH),
    ("k", HIGH.replace("BY k", "BY k, v % 2")),
    ("k", f"SELECT k % 2 AS k, v, _change_type FROM ({HIGH})"),
    ("k", f"SELECT 1 AS k, sum(v) AS v FROM STREAM events {TYPED}"),
    ("k", HIGH.replace("BY k", "BY ROLLUP (k)")),
    ("v", f"SELECT k, v FROM STREAM events {NEWEST}"),
]


@pytest.mark.parametrize(
    ("condition", "key", "query"),
    [
        *(("EDDYLINE_STREAMING_QUERY.CHANGES_KEY", *other) for other in OTHER_KEYS),
        ("EDDYLINE_STREAMING_QUERY.CHANGES_FILTERED", "k", f"SELECT * FROM ({HIGH}) WHERE v > 3"),
        ("EDDYLINE_EMIT.CHANGE_TYPE_DROPPED", "k", f"SELECT k, v FROM ({HIGH})"),
    ],
)
def test_what_could_not_be_deleted_is_refused(
    spark: SparkSession, totals: str, condition: str, key: str, query: str
) -> None:
    start = f"START STREAMING QUERY q {NOW} AS UPSERT INTO {totals} KEY ({key}) {query}"
    assert refused(spark, start) == condition
    assert not spark.sql("SHOW STREAMING QUERIES").collect()


@pytest.mark.parametrize(
    ("given", "stored"), [("BIGINT", "INT"), ("STRING", "STRING"), ("FLOAT", "DOUBLE")]
)
def test_a_key_that_the_table_stores_as_another_type(
    spark: SparkSession, totals: str, given: str, stored: str
) -> None:
    table = f"{totals}_of"
    spark.sql(f"CREATE TABLE {table} (k {stored}, v BIGINT)")
    query = HIGH.replace("k,", f"CAST(k AS {given}) AS k,").replace(
        "BY k", f"BY CAST(k AS {given})"
    )
    spark.sql("INSERT INTO events VALUES (1, 20), (2, 30)")
    finish(spark, f"START STREAMING QUERY q {NOW} AS UPSERT INTO {table} KEY (k) {query}")
    spark.sql("INSERT INTO events VALUES (1, -20)")
    finish(spark, "START STREAMING QUERY q")
    assert spark.sql(f"SELECT CAST(k AS INT), v FROM {table}").collect() == [(2, 30)]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("TIMESTAMP", "DATE"),
        ("DOUBLE", "INT"),
        ("STRING", "STRING COLLATE UTF8_LCASE"),
        ("STRING", "CHAR(30)"),
        ("STRING", "VARCHAR(30)"),
    ],
)
def test_a_type_in_which_two_keys_are_one_is_refused(
    spark: SparkSession, totals: str, given: str, stored: str
) -> None:
    table = f"{totals}_of"
    spark.sql(f"CREATE TABLE {table} (k {stored}, v BIGINT)")
    key = f"CAST(timestamp_seconds(k) AS {given})" if given != "DOUBLE" else "k / 2D"
    query = HIGH.replace("SELECT k", f"SELECT {key} AS k").replace("BY k", f"BY {key}")
    start = f"START STREAMING QUERY q {NOW} AS UPSERT INTO {table} KEY (k) {query}"
    assert refused(spark, start) == "EDDYLINE_STREAMING_QUERY.CHANGES_KEY_TYPE"
