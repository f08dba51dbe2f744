"""Clauses with parameter markers: order, kinds, and positions through both rewrites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, ParseException, PySparkException

from eddyline.testing import error_place, format_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(autouse=True)
def views(spark: SparkSession) -> None:
    spark.sql("CREATE TEMPORARY VIEW a AS SELECT * FROM VALUES (1, 10), (2, 20) AS t(k, v)")
    spark.sql("CREATE TEMPORARY VIEW b AS SELECT * FROM VALUES (1, 5), (3, 6) AS t(k, w)")


def test_named(spark: SparkSession) -> None:
    frame = spark.sql(
        "COGROUP a WHERE v > :low BY k + :one AS k, b BY k AGGREGATE count(a.*) + :x AS n, :s AS s "
        "HAVING EVERY BRANCH AND n > :x ORDER BY k LIMIT :one",
        args={"low": 15, "one": 1, "x": 100, "s": "it's :one"},
    )
    assert format_rows(frame) == ["3\t101\tit's :one"]


def test_positional(spark: SparkSession) -> None:
    frame = spark.sql(
        "WITH c AS (COGROUP a WHERE v > ? BY k, b WHERE w < ? BY k AGGREGATE sum(a.v) * ? AS n) "
        "SELECT *, ? AS p FROM c WHERE k < ? ORDER BY k",
        args=[5, 6, 2, "p", 3],
    )
    assert format_rows(frame) == ["1\t20\tp", "2\t40\tp"]


def test_maps_lists_and_identifiers(spark: SparkSession) -> None:
    from pyspark.sql.functions import array, create_map, lit

    frame = spark.sql(
        "COGROUP IDENTIFIER(:t) AS x WHERE array_contains(:ks, k) BY k, b BY k "
        "AGGREGATE max(x.v) + :m['one'] AS n HAVING n IS NOT NULL",
        args={"t": "a", "ks": array(lit(1), lit(3)), "m": create_map(lit("one"), lit(1))},
    )
    assert format_rows(frame) == ["1\t11"]


def test_data_frames(spark: SparkSession) -> None:
    frame = spark.sql(
        "COGROUP {left} AS l BY id, {right} AS r BY id AGGREGATE count(*) AS n ORDER BY id",
        left=spark.range(2),
        right=spark.range(1, 3),
    )
    assert format_rows(frame) == ["0\t1", "1\t2", "2\t1"]


@pytest.mark.parametrize("args", [{"low": 1, "other": "xyz"}, None])
def test_positions_with_parameters(spark: SparkSession, args: dict[str, object] | None) -> None:
    sql = (
        "SELECT '🌊', :other FROM (COGROUP a WHERE v > :low\n  BY k, b BY k\n"
        "AGGREGATE sum(a.v) AS v, max(a.nope) AS n)"
    )
    if args is None:
        sql = sql.replace(":low", "1").replace(":other", "'xyz'")
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql, args=args)
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == "a.nope"
    assert "line 3 pos 29" in str(caught.value)


def test_run_time_position_with_parameters(spark: SparkSession) -> None:
    sql = "COGROUP a WHERE v > :low BY k, b BY k\nAGGREGATE sum(a.v / :zero) AS v"
    frame = spark.sql(sql, args={"low": 1, "zero": 0})
    with pytest.raises(PySparkException, match="DIVIDE_BY_ZERO") as caught:
        frame.collect()
    start, stop = error_place(caught.value, sql)
    assert sql[start:stop] == "a.v / :zero"
    assert "== SQL (line 2, position 15) ==" in str(caught.value)


def test_a_missing_parameter_is_named(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql("COGROUP a WHERE v > :low BY k, b BY k AGGREGATE count(*)", args={"high": 1})
    assert caught.value.getCondition() == "UNBOUND_SQL_PARAMETER"


def test_a_parse_error_behind_a_parameter(spark: SparkSession) -> None:
    sql = "COGROUP a WHERE v > :low BY k, b BY k AGGREGATE count(*) AS n, sum(b.w b.w)"
    with pytest.raises(ParseException) as caught:
        spark.sql(sql, args={"low": 1000000})
    assert error_place(caught.value, sql)[0] == sql.rindex("b.w")


def test_a_clause_in_an_expression(spark: SparkSession) -> None:
    clause = "(SELECT max(n) FROM (COGROUP a BY k, b BY k AGGREGATE count(*) AS n))"
    assert spark.range(1).selectExpr(f"{clause} + id AS top").collect() == [(2,)]
    assert spark.range(1).where(f"{clause} > 5").count() == 0
    with pytest.raises(ParseException) as caught:
        spark.range(1).where(f"{clause[:-2]} WHERE n > 1)) > 5")
    assert caught.value.getCondition() == "EDDYLINE_COGROUP.SYNTAX_ERROR"


def test_a_view_keeps_the_values_of_parameters(spark: SparkSession) -> None:
    """Neither does a value become a variable when the view is read, nor a marker a part of it."""
    query = (
        "SELECT '🌊' AS wave, * FROM (\r\nCOGROUP range(1) AS x WHERE '🌊' <> :word BY id,\n"
        "range(1) AS y BY id AGGREGATE max(:word) AS m, count(y.*) AS n)"
    )
    words = "it's ${env:HOME}\r\n-- ${spark.app.name}"
    spark.sql(f"CREATE VIEW kept AS {query}", args={"word": words})
    try:
        expected = [("🌊", 0, words, 1)]
        assert spark.table("kept").collect() == expected
        ((create,),) = spark.sql("SHOW CREATE TABLE kept").collect()
        assert ":word" not in create
        assert "\r\nCOGROUP range(1) AS x WHERE '🌊' <> 'it" in create
        spark.sql("DROP VIEW kept")
        spark.sql(create)
        assert spark.table("kept").collect() == expected
        assert spark.sql("SHOW CREATE TABLE kept").collect() == [(create,)]
    finally:
        spark.sql("DROP VIEW IF EXISTS kept")


def test_a_global_table_keeps_the_values_of_parameters(spark: SparkSession) -> None:
    """Also where markers stand before the query, and a value that looks like a variable."""
    spark.sql("CREATE TABLE words (k INT, w STRING) USING parquet")
    spark.sql("INSERT INTO words VALUES (1, 'kept_words'), (2, ?)", args=["${env:HOME}"])
    spark.sql(
        "CREATE GLOBAL TABLE IDENTIFIER(?) PRIMARY KEY (k) REFRESH MANUAL AS "
        "COGROUP words AS a WHERE a.w = ? BY k, words AS b WHERE b.w = 'none' BY k "
        "AGGREGATE max(a.w) AS w",
        args=["kept_words", "${env:HOME}"],
    )
    try:
        assert spark.table("kept_words").collect() == [(2, "${env:HOME}")]
        spark.sql("REFRESH GLOBAL TABLE kept_words")
        assert spark.table("kept_words").collect() == [(2, "${env:HOME}")]
        ((create,),) = spark.sql("SHOW CREATE GLOBAL TABLE kept_words").collect()
        assert "COGROUP words AS a WHERE a.w = '" in create
        assert "__eddyline" not in create
    finally:
        spark.sql("DROP GLOBAL TABLE IF EXISTS IDENTIFIER(:name)", {"name": "kept_words"})
    assert spark.sql("SHOW GLOBAL TABLES").collect() == []
