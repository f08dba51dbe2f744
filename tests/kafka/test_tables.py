"""Tables over topics: how a query may name them, and what is refused by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from kafka.admin import Admin
from kafka.broker import Broker
from kafka.topics import Topic
from pages import BROKER, FOLDER, KAFKA, REAL_TIME
from test_docs import run_page

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.parametrize("page", KAFKA, ids=lambda page: page.name)
def test_docs_page(
    spark: SparkSession,
    broker: Broker,
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broker.ensure()
    if page == REAL_TIME:  # a reader of a topic that is made by its first writer may come too soon
        for topic in re.findall(r"subscribe '(\w+)'", page.read_text()):
            Admin(spark, broker).create(topic)
    words = {FOLDER: str(tmp_path), BROKER: broker.address}
    run_page(spark, page, words, monkeypatch)


def test_every_way_to_name_a_stream(spark: SparkSession, running: Broker) -> None:
    named = Topic(spark, running, "named").create()
    named.write([("a", "1")])
    text = "string(key) AS key, string(value) AS value"
    spark.sql(f"CREATE VIEW kept AS SELECT {text} FROM STREAM named")
    spark.sql(f"CREATE TEMPORARY VIEW passing AS SELECT {text} FROM STREAM default.named AS t")
    spark.sql("CREATE DATABASE IF NOT EXISTS elsewhere")
    spark.readStream.table("named").createOrReplaceTempView("by_python")
    target = Topic(spark, running, "named_copy").create()
    sources = (
        f"SELECT {text} FROM STREAM spark_catalog.default.named",
        f"SELECT {text} FROM STREAM(named) WITH (maxOffsetsPerTrigger = 1)",
        "SELECT named.key, named.value FROM STREAM NAMED",
        f"WITH c AS (SELECT {text} FROM STREAM named) SELECT * FROM c",
        "SELECT * FROM default.kept",
        "SELECT * FROM passing",
        "SELECT key, value FROM by_python",
    )
    for number, source in enumerate(sources):
        if source.endswith("kept"):
            spark.sql("USE elsewhere")
        start = f"START STREAMING QUERY n{number} TRIGGER AVAILABLE NOW AS INSERT INTO "
        spark.sql(f"{start} default.named_copy BY NAME {source}")
        (info,) = spark.sql(f"AWAIT STREAMING QUERY n{number}").collect()
        assert info.status == "FINISHED"
        spark.sql("USE default")
    assert target.records() == [("a", "1")] * len(sources)


@pytest.mark.parametrize(
    ("into", "query", "condition"),
    [
        ("refusing", "SELECT key, value", "EDDYLINE_STREAMING_QUERY.TOPIC_COLUMNS"),
        ("refusing (key, value)", "SELECT value", "EDDYLINE_STREAMING_QUERY.TOPIC_COLUMNS"),
        ("refusing (key)", "SELECT key", "EDDYLINE_STREAMING_QUERY.TOPIC_COLUMNS"),
        ("refusing BY NAME", "SELECT value, value", "EDDYLINE_STREAMING_QUERY.TOPIC_COLUMNS"),
        (
            "refusing (key, value)",
            "SELECT key, offset",
            "EDDYLINE_STREAMING_QUERY.TOPIC_COLUMN_TYPE",
        ),
        (
            "refusing (value) WITH BATCH ID partition",
            "SELECT value",
            "EDDYLINE_STREAMING_QUERY.TOPIC_COLUMN_TYPE",
        ),
        (
            "refusing BY NAME",
            "SELECT value, offset",
            "EDDYLINE_STREAMING_QUERY.UNRESOLVED_COLUMN",
        ),
        ("two_topics (value)", "SELECT value", "EDDYLINE_STREAMING_QUERY.TOPIC_MISSING"),
        (
            "refusing KEY (key)",
            "SELECT key, value",
            "EDDYLINE_STREAMING_QUERY.UPSERT_NOT_SUPPORTED",
        ),
    ],
)
def test_refused(
    spark: SparkSession, running: Broker, into: str, query: str, condition: str
) -> None:
    Topic(spark, running, "refusing").create()
    servers = f"'kafka.bootstrap.servers' '{running.address}'"
    spark.sql(f"CREATE TABLE two_topics USING kafka OPTIONS ({servers}, subscribe 'x, y')")
    sink = "UPSERT" if " KEY " in into else "INSERT"
    statement = f"START STREAMING QUERY q AS {sink} INTO {into} {query} FROM STREAM refusing"
    with pytest.raises(AnalysisException) as caught:
        spark.sql(statement)
    assert caught.value.getCondition() == condition
    table = re.split(r"\W", into)[0]
    assert caught.value.getQueryContext()[0].fragment() == table
    assert spark.sql("SHOW STREAMING QUERIES").collect() == []


def test_a_column_says_where_a_record_goes(spark: SparkSession, running: Broker) -> None:
    servers = f"'kafka.bootstrap.servers' '{running.address}'"
    left, right = Topic(spark, running, "left_one"), Topic(spark, running, "right_one")
    spark.sql(f"CREATE TABLE both USING kafka OPTIONS ({servers}, subscribe 'left_one,right_one')")
    source = Topic(spark, running, "sorted_out").create()
    source.write([("l", "1"), ("r", "2")])
    spark.sql(
        "START STREAMING QUERY q TRIGGER AVAILABLE NOW AS "
        "INSERT INTO both (topic, key, value, headers, partition) "
        "SELECT if(key = X'6C', 'left_one', 'right_one'), key, value, "
        "array(named_struct('key', 'by', 'value', X'01')), 1 FROM STREAM sorted_out"
    )
    (info,) = spark.sql("AWAIT STREAMING QUERY q").collect()
    assert info.status == "FINISHED"
    assert (left.records(), right.records()) == ([("l", "1")], [("r", "2")])
    written = spark.sql("SELECT DISTINCT partition FROM both").collect()
    assert written == [(1,)]
    # the column goes before the topic that the table reads, and the option before the column
    Topic(spark, running, "left_one").create()
    given = f"OPTIONS ({servers}, subscribe 'left_one', topic 'right_one')"
    spark.sql(f"CREATE TABLE fixed USING kafka {given}")
    for name in ("left_one", "fixed"):
        spark.sql(
            f"START STREAMING QUERY {name} TRIGGER AVAILABLE NOW AS INSERT INTO {name} BY NAME "
            f"SELECT '{'right_one' if name == 'left_one' else 'left_one'}' AS topic, "
            f"'{name}' AS key, value FROM STREAM sorted_out WHERE value = X'31'"
        )
        spark.sql(f"AWAIT STREAMING QUERY {name}")
    assert left.records() == [("l", "1")]
    assert sorted(right.records()) == [("fixed", "1"), ("left_one", "1"), ("r", "2")]
