"""Without a sidecar, ordinary SQL works, and a clause is refused with a named error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, ParseException

from eddyline.jvm import stop_sidecar
from parsers import our_parser, split_by_spark, stock_parser

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(autouse=True)
def no_python(spark: SparkSession) -> Iterator[None]:
    environment = spark._jsparkSession.sparkContext().conf()
    before = environment.get("spark.eddyline.python")
    stop_sidecar(spark)
    environment.set("spark.eddyline.python", "/nowhere/python")
    yield
    environment.set("spark.eddyline.python", before)


@pytest.mark.parametrize(
    "sql",
    [
        "SELEC 'emit'",
        "SELECT * FROM t x y z -- global table",
        "SELECT `emit on change` FRM t x y",
        "CREATE GLOBAL TEMPORARY VIEW AS SELECT 1",
        "SELECT emit FROM cogroups x y z",
        "SELECT a FROM streaming x y",
    ],
)
def test_an_error_of_spark_stays(spark: SparkSession, sql: str) -> None:
    with pytest.raises(ParseException) as stock:
        stock_parser(spark).parsePlan(sql)
    with pytest.raises(ParseException) as ours:
        our_parser(spark).parsePlan(sql)
    assert str(ours.value) == str(stock.value)
    assert ours.value.getCondition() == stock.value.getCondition()


@pytest.mark.parametrize(
    "sql",
    [
        "COGROUP a BY k, b BY k AGGREGATE count(*) AS n",
        "SELECT k FROM t GROUP BY k EMIT ON CHANGE",
        "SELEC k FROM t GROUP BY k EMIT ON CHANGE",
        "SELECT k FROM t ASSUME PARTITIONED BY (k)",
        "SELECT EXISTS (SELECT 1 FROM t ASSUME PARTITIONED BY (k))",
        "START STREAMING QUERY q AS INSERT INTO t SELECT 1",
        "SHOW GLOBAL TABLES",
        "SHOW EDDYLINE RULES",
        "EXPLAIN CLAUSES SELECT 1",
        "CHECK ASSUMPTION ON t PARTITIONED BY (k)",
    ],
)
def test_a_clause_says_what_is_missing(spark: SparkSession, sql: str) -> None:
    with pytest.raises(AnalysisException) as caught:
        our_parser(spark).parsePlan(sql)
    assert caught.value.getCondition() == "EDDYLINE_SIDECAR.NOT_STARTED"


def test_statements_are_split(spark: SparkSession) -> None:
    """The spark-sql CLI splits all statements before it runs the first."""
    statements = [
        "-- emit a warning\nSELECT 1",
        "SELECT 'streaming query'",
        "CREATE GLOBAL TEMPORARY VIEW v AS SELECT 1 AS x",
        "SELECT emit FROM t",
        "SELECT k FROM t GROUP BY k EMIT ON CHANGE",
    ]
    assert split_by_spark(spark, ";\n".join(statements)) == statements
