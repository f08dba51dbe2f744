"""COGROUP of topics in real-time mode: the last row of each key is that of the batch query."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

START = """
    START STREAMING QUERY q TRIGGER REAL TIME 10 MINUTES
    OPTIONS ('spark.sql.shuffle.partitions' '1') AS INSERT INTO {out} (key, value) {query}
"""
AGGREGATES = """
    concat_ws(' ', count(a.*), sum(int(string(a.value))), avg(int(string(b.value))),
              min(string(b.value)), max(string(c.value)), bool_or(string(c.value) = '3'),
              count_if(string(a.value) > '5'), max_by(string(a.value), a.offset)) AS value
"""
TOTALS = f"""
    COGROUP {{stream}} {{a}} AS a BY string(key) AS id, {{stream}} {{b}} AS b BY string(key),
            {{stream}} {{c}} AS c BY string(key)
    AGGREGATE {AGGREGATES}
"""
WINDOWS = """
    SELECT concat(id, ' ', string(span.start)) AS key, value FROM (
      COGROUP {stream} {a} AS a BY (string(key) AS id, window(timestamp, '1 second') AS span),
              {stream} {b} AS b BY (string(key), window(timestamp, '1 second')),
              {stream} {c} AS c BY (string(key), window(timestamp, '1 second'))
      AGGREGATE concat_ws(' ', count(a.*), count(b.*), count(c.*)) AS value {emit}
    )
"""
QUERIES = {
    "totals": TOTALS + "{emit}",
    "every branch": TOTALS + "HAVING EVERY BRANCH {emit}",
    "two branches": TOTALS + "HAVING AT LEAST 2 BRANCHES AND count(a.*) > 1 {emit}",
    "windows": WINDOWS,
}


def check(spark: SparkSession, topics: dict[str, Topic], stream: str, batch: str) -> None:
    """Runs a query over topics as records come, and compares with the query of the batch."""
    for number in range(3):
        for branch in topics.keys() - {"out"}:
            pairs = [(random.choice("klm"), str(random.randrange(9))) for _ in range(4)]
            # there is a result after the first two, so that it tells that the query runs
            topics[branch].write([("k", "7"), ("k", "7"), *pairs])
        expected = dict(spark.sql(batch).collect())
        if number == 0:
            # not before: Spark fails a micro-batch that begins while others have its slots
            spark.sql(START.format(out=topics["out"].name, query=stream))
        eventually(lambda expected=expected: dict(topics["out"].records()) == expected)
        assert expected


@pytest.mark.parametrize("name", QUERIES)
def test_the_last_rows_are_those_of_the_batch(
    spark: SparkSession, make: Callable[[str], Topic], name: str
) -> None:
    topics = {each: make(each) for each in ("a", "b", "c", "out")}
    tables = {key: topic.name for key, topic in topics.items()}
    stream = QUERIES[name].format(stream="STREAM", emit="EMIT ON UPDATE", **tables)
    check(spark, topics, stream, QUERIES[name].format(stream="", emit="", **tables))


def test_one_topic_in_each_branch(spark: SparkSession, make: Callable[[str], Topic]) -> None:
    """Each is a stream of its own, also by way of a view."""
    topics = {each: make(each) for each in ("a", "out")}
    table = topics["a"].name
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW seen AS SELECT * FROM STREAM {table}")
    stream = TOTALS.format(stream="", a="seen", b="seen", c="seen") + "EMIT ON UPDATE"
    check(spark, topics, stream, TOTALS.format(stream="", a=table, b=table, c=table))
