"""Clauses with parameter markers: order, kinds, and positions through both rewrites."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, ParseException, PySparkException

from goldenfiles import error_place, format_rows
from parsers import ID, our_parser

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame, SparkSession


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


# what takes a parameter, and an SQL literal for each
LITERALS = [
    ("SELECT k FROM a EMIT EVERY {}", ["'10 seconds'"]),
    ("SELECT k FROM a EMIT EVERY {} MINUTES {} SECONDS ON UPDATE", ["1", "10"]),
    ("SELECT k FROM a EMIT EVERY {}", ["INTERVAL '0 00:00:10' DAY TO SECOND"]),
    (
        "SELECT k, v FROM a EMIT ON CHANGE KEY (k) EXPIRE AFTER {} TOLERANCE {} HEARTBEAT {} HOURS",
        ["'1 day'", "0.5BD", "2"],
    ),
    ("SELECT k, v FROM a EMIT ON CHANGE TOLERANCE (k {}, v {} DAYS)", ["1.0E-5D", "3"]),
    (
        "COGROUP a BY k, b BY k AGGREGATE max(v) + {} AS n HAVING AT LEAST {} BRANCHES AND n > {}",
        ["1", "2", "3"],
    ),
    ("SELECT k FROM a ASSUME PARTITIONED BY (k) INTO {} PARTITIONS USING HASH SPARK", ["8"]),
    ("CHECK ASSUMPTION ON a PARTITIONED BY (k, {}) LIMIT {}", ["'x'", "3"]),
    (
        "CREATE GLOBAL TABLE IDENTIFIER({}) REFRESH EVERY {} MAX STALENESS {} HOURS "
        "ON STALE WAIT {} MAX ROWS {} MAX BYTES {} COMMENT {} TBLPROPERTIES ('a' = {}, b {}) "
        "AS SELECT {} AS k",
        ["'db.g'", "'5 seconds'", "1", "'1 minute'", "9L", "'1 MB'", "'c'", "'x'", "1", "'🌊'"],
    ),
    ("CREATE GLOBAL TABLE g (k INT) USING csv LOCATION {} MAX BYTES {} MB", ["'/d'", "5"]),
    ("ALTER GLOBAL TABLE IDENTIFIER({}) SET MAX ROWS {} MAX BYTES {}", ["'g'", "10", "20L"]),
    (
        "START STREAMING QUERY IDENTIFIER({}) TRIGGER EVERY {} SECONDS CHECKPOINT {} COMMENT {} "
        "OPTIONS ('a' {}, b = {}) AS INSERT INTO IDENTIFIER({}) SELECT k, {} AS x FROM STREAM s",
        ["'q'", "10", "'/c'", "'it\\'s'", "'x'", "true", "'db.t'", "2"],
    ),
    (
        "CREATE STREAMING QUERY IF NOT EXISTS IDENTIFIER({}) TRIGGER REAL TIME {} AS UPSERT INTO t "
        "KEY (k) SELECT k, v FROM STREAM s EMIT ON CHANGE KEY (k) HEARTBEAT {}",
        ["'`a b`'", "'1 minute'", "'1 hour'"],
    ),
    ("VALIDATE STREAMING QUERY q COMMENT {} AS INSERT INTO t SELECT {} FROM s", ["'c'", "1"]),
    ("AWAIT STREAMING QUERY IDENTIFIER({}) TIMEOUT {}", ["'q'", "'1 minute'"]),
    ("DROP STREAMING QUERY IF EXISTS IDENTIFIER({}) PURGE", ["'q'"]),
    ("EXPLAIN CLAUSES STREAMING QUERY IDENTIFIER({})", ["'q'"]),
    ("BEGIN SELECT k FROM a EMIT EVERY {}; SELECT {}; END", ["'10 seconds'", "'x'"]),
]  # fmt: skip


def parsed(spark: SparkSession, sql: str, values: list[str], *, named: bool) -> str:
    """Returns the plan of a text whose parameters have values that are SQL literals."""
    assert spark._jvm is not None
    of_parser = spark._jvm.org.apache.spark.sql.catalyst.parser
    parser, convert = our_parser(spark), spark._jvm.org.apache.spark.api.python.PythonUtils
    given = [parser.parseExpression(value) for value in values]
    if named:
        of_name = convert.toScalaMap({f"p{index}": value for index, value in enumerate(given)})
        context = of_parser.NamedParameterContext(of_name)
    else:
        context = of_parser.PositionalParameterContext(convert.toSeq(given))
    return normalized(parser.parsePlanWithParameters(sql, context))


def normalized(plan: JavaObject) -> str:
    """Returns a plan without ids, and without the places of its words."""
    return re.sub(r"Origin\(.*", "", ID.sub("", str(plan)))


@pytest.mark.parametrize(("form", "values"), LITERALS, ids=[form for form, _ in LITERALS])
def test_a_parameter_stands_where_a_literal_may(
    spark: SparkSession, form: str, values: list[str]
) -> None:
    """The plan is that of the text with the values, also of a text that is stored."""
    plan = normalized(our_parser(spark).parsePlan(form.format(*values)))
    names = [f":p{index}" for index in range(len(values))]
    assert parsed(spark, form.format(*names), values, named=True) == plan
    assert parsed(spark, form.format(*["?"] * len(values)), values, named=False) == plan


@pytest.mark.parametrize(
    ("sql", "value", "condition", "fragment"),
    [
        ("COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING AT LEAST :n BRANCHES LIMIT 1", 3,
         "EDDYLINE_COGROUP.BRANCH_COUNT_OUT_OF_RANGE", ":n"),
        ("CREATE GLOBAL TABLE g MAX ROWS :n AS SELECT 1", -5,
         "EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR", ":n"),
        ("/* 🌊 */ CREATE GLOBAL TABLE g MAX BYTES :n AS SELECT 1 AS k", "much",
         "EDDYLINE_GLOBAL_TABLE.INVALID_SIZE", ":n"),
        ("START STREAMING QUERY q TRIGGER EVERY :n AS INSERT INTO t SELECT 1", "soon",
         "INVALID_TYPED_LITERAL", ":n"),
        ("SELECT k FROM a EMIT EVERY :n ON UPDATE", 0.5, "EDDYLINE_EMIT.SYNTAX_ERROR", "ON"),
        ("CREATE GLOBAL TABLE g (k INT) USING csv OPTIONS (header :n) MAX ROWS 5", True,
         "EDDYLINE_GLOBAL_TABLE.SYNTAX_ERROR", ":"),
        ("STOP STREAMING QUERY IDENTIFIER(:n)", "db.q",
         "EDDYLINE_STREAMING_QUERY.INVALID_NAME", "IDENTIFIER"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused_at_its_parameter(
    spark: SparkSession, sql: str, value: object, condition: str, fragment: str
) -> None:
    with pytest.raises(PySparkException) as caught:
        spark.sql(sql, args={"n": value})
    assert caught.value.getCondition() == condition
    start, _ = error_place(caught.value, sql)
    assert sql.startswith(fragment, start)


def test_values_of_python(spark: SparkSession) -> None:
    wait = "SELECT * FROM a EMIT EVERY :every ON CHANGE"
    for every in (timedelta(seconds=10), "10 seconds"):
        assert "EVERY 10000 milliseconds" in plan_of(spark.sql(wait, args={"every": every}))
    sql = "COGROUP a BY k, b BY k AGGREGATE count(*) AS n HAVING AT LEAST {} BRANCHES"
    rows = ["1\t2"]
    assert format_rows(spark.sql(sql.format(":n"), args={"n": 2})) == rows
    assert format_rows(spark.sql(sql.format("?"), args=[2])) == rows
    assert format_rows(spark.sql(f"EXECUTE IMMEDIATE '{sql.format('?')}' USING 2")) == rows
    named = f"EXECUTE IMMEDIATE '{sql.format(':n')}' USING 1 + 1 AS n"
    assert format_rows(spark.sql(named)) == rows


def plan_of(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().logical())


def test_a_parameter_without_a_value_is_named(spark: SparkSession) -> None:
    for sql in ("SELECT k FROM a EMIT EVERY :e", "STOP STREAMING QUERY IDENTIFIER(:e)"):
        with pytest.raises(AnalysisException) as caught:
            spark.sql(sql)
        assert caught.value.getCondition() == "UNBOUND_SQL_PARAMETER"


def test_where_spark_replaces_no_literals_none_is_lost(spark: SparkSession) -> None:
    """Spark may be told to take parameters in expressions alone."""
    spark.conf.set("spark.sql.legacy.parameterSubstitution.constantsOnly", "true")
    sql = "CREATE STREAMING QUERY q CHECKPOINT :c AS INSERT INTO t SELECT 1 AS k"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(sql, args={"c": "/c"})
    assert caught.value.getCondition() == "EDDYLINE_PLACEHOLDER"
