"""A query in real-time mode that uses one stream twice, and queries that only seem to."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from goldenfiles import error_place

from .streamingquery_harness import finish, refused

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.usefixtures("stream")

CONDITION = "EDDYLINE_STREAMING_QUERY.REAL_TIME_STREAM"
WITH = "WITH seen AS (SELECT * FROM STREAM events)"
UNION = "SELECT k, v FROM seen UNION ALL SELECT k, v FROM seen"
COGROUP = """
    COGROUP seen AS a BY k, seen AS b BY k
    AGGREGATE int(count(a.*) + count(b.*)) AS n EMIT ON UPDATE
"""
NESTED = f"{WITH}, more AS (SELECT * FROM seen) SELECT k, v FROM more UNION ALL SELECT * FROM seen"
QUERIES = [UNION, COGROUP, f"{WITH} {UNION}", WITH + COGROUP, NESTED]


@pytest.fixture
def stream(spark: SparkSession, events_and_copy: None) -> DataFrame:
    """Returns a stream, which is also the temporary view `seen`."""
    stream = spark.sql("SELECT * FROM STREAM events")
    stream.createOrReplaceTempView("seen")
    return stream


def check(statement: str, error: AnalysisException) -> None:
    """Checks that the error is at the second use of the stream."""
    assert error.getCondition() == CONDITION
    start, stop = error_place(error, statement)
    assert statement[start:stop].partition(" ")[0] == "seen"
    assert start == statement.rindex("seen")


def test_a_query_of_sql(spark: SparkSession) -> None:
    finish(
        spark,
        "START STREAMING QUERY q TRIGGER AVAILABLE NOW AS INSERT INTO copy SELECT * FROM seen",
    )
    for query, verb in itertools.product(QUERIES, ("START", "VALIDATE")):
        name = "another" if verb == "START" else "q"
        statement = f"{verb} STREAMING QUERY {name} TRIGGER REAL TIME AS INSERT INTO copy {query}"
        with pytest.raises(AnalysisException) as caught:
            spark.sql(statement)
        check(statement, caught.value)


@pytest.mark.since("4.2")
def test_a_query_of_a_program(spark: SparkSession) -> None:
    for query in QUERIES:
        writer = spark.sql(query).writeStream.format("console").outputMode("update")
        with pytest.raises(AnalysisException) as caught:
            writer.trigger(realTime="5 minutes").start()
        check(query, caught.value)


@pytest.mark.since("4.2")
def test_a_dataframe(spark: SparkSession, stream: DataFrame) -> None:
    writer = stream.union(stream).writeStream.format("console").outputMode("update")
    with pytest.raises(AnalysisException) as caught:
        writer.trigger(realTime="5 minutes").start()
    assert caught.value.getCondition() == CONDITION


def test_each_stream_is_used_once(spark: SparkSession) -> None:
    """The next check is that of the target."""
    spark.sql("CREATE TEMPORARY VIEW by_sql AS SELECT * FROM STREAM events")
    start = "START STREAMING QUERY q TRIGGER REAL TIME AS INSERT INTO copy"
    for query in (
        "SELECT * FROM STREAM events UNION ALL SELECT * FROM STREAM events",
        "SELECT * FROM by_sql UNION ALL SELECT * FROM by_sql",
        f"{WITH} SELECT * FROM seen UNION ALL SELECT * FROM STREAM events",
        "SELECT k, v FROM seen JOIN VALUES (1), (1) AS t(k) USING (k)",
    ):
        condition = "EDDYLINE_STREAMING_QUERY.REAL_TIME_SINK"
        assert refused(spark, f"{start} {query}") == condition, query


def test_micro_batches(spark: SparkSession) -> None:
    """Spark reads a stream once for each use there, so nothing is refused."""
    spark.sql("INSERT INTO events VALUES (1, 2)")
    start = "START STREAMING QUERY q TRIGGER AVAILABLE NOW AS INSERT INTO copy"
    finish(spark, f"{start} {UNION}")
    assert [tuple(row) for row in spark.table("copy").collect()] == [(1, 2), (1, 2)]
