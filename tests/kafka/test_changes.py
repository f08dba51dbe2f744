"""Changes with their type, written to a topic: what is gone is a tombstone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from kafka.globaltables import create, refresh
from kafka.topics import Topic
from properties.emit_changes import KEY, RESULT, documents, maintain
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NOW = "TRIGGER AVAILABLE NOW"
REAL_TIME = "TRIGGER REAL TIME 10 MINUTES OPTIONS ('spark.sql.shuffle.partitions' '1')"
SUMS = """
    SELECT CAST(key AS STRING) AS key,
           CAST(sum(CAST(CAST(value AS STRING) AS INT)) AS STRING) AS value
    FROM STREAM {source} GROUP BY CAST(key AS STRING)
    HAVING sum(CAST(CAST(value AS STRING) AS INT)) > 3
    EMIT ON CHANGE WITH CHANGE TYPE{before}
"""
LOCAL = "CAST(timestamp AS TIMESTAMP_NTZ)"
VALID = "make_valid_utf8(CAST(key AS STRING))"
FLAGGED = """
    SELECT CAST(key AS STRING) AS key, CAST(value AS STRING) AS value FROM STREAM {source}
    EMIT ON CHANGE KEY (key) APPLY AS DELETE WHEN value IS NULL WITH CHANGE TYPE
"""


def test_a_maintained_topic_is_the_dimension_of_the_next_stream(
    spark: SparkSession, make: Callable[[str], Topic]
) -> None:
    source, out = make("source"), make("maintained")
    total = "sum(CAST(CAST(value AS STRING) AS INT))"
    spark.sql(
        f"START STREAMING QUERY q {NOW} AS INSERT INTO {out.name} (key, value) "
        f"SELECT CAST(key AS STRING), to_json(struct({total} AS total)) FROM STREAM {source.name} "
        f"GROUP BY CAST(key AS STRING) HAVING {total} > 3 "
        "EMIT ON CHANGE WITH CHANGE TYPE kind BEFORE"
    )
    table = create(out, columns="id STRING, total INT, PRIMARY KEY (id)")
    for records, expected in [
        ([("ada", "5"), ("bob", "1"), ("eve", "9")], {"ada": 5, "eve": 9}),
        ([("ada", "-3"), ("bob", "4"), ("eve", "1")], {"bob": 5, "eve": 10}),
    ]:
        source.write(records)
        spark.sql("AWAIT STREAMING QUERY q")
        spark.sql("START STREAMING QUERY q")
        spark.sql("AWAIT STREAMING QUERY q")
        assert refresh(spark, table) == expected
    written = [record for record in out.records() if record[1] is None]
    assert written == [("ada", None)]


def test_topics_that_random_queries_maintain(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path
) -> None:
    topics: list[Topic] = []

    def statement(number: int, query: str) -> str:
        if number == len(topics):
            topics.append(make(f"maintained{number}"))
        rows = f"SELECT {KEY}, {RESULT}, _change_type FROM ({query})"
        return f"INSERT INTO {topics[number].name} (key, value) {rows}"

    for topic, expected in zip(topics, maintain(spark, tmp_path, statement), strict=True):
        last = dict(topic.records())
        assert documents(row for row in last.items() if row[1] is not None) == expected


@pytest.mark.parametrize("trigger", [NOW, pytest.param(REAL_TIME, marks=pytest.mark.since("4.3"))])
def test_records_that_delete_their_key(
    spark: SparkSession, make: Callable[[str], Topic], trigger: str
) -> None:
    source, out = make("source"), make("copy")
    sink = f"INSERT INTO {out.name} (key, value)"
    source.write([("ada", "1"), ("ada", "1"), ("bob", None), ("ada", None), ("ada", "2")])
    spark.sql(f"START STREAMING QUERY q {trigger} AS {sink} {FLAGGED.format(source=source.name)}")
    eventually(lambda: out.records() == [("ada", "1"), ("ada", None), ("ada", "2")])
    spark.sql("STOP STREAMING QUERY q")


@pytest.mark.since("4.3")
def test_each_record_within_the_micro_batch(
    spark: SparkSession, make: Callable[[str], Topic]
) -> None:
    source, out = make("source"), make("sums")
    query = SUMS.format(source=source.name, before=" BEFORE")
    spark.sql(f"START STREAMING QUERY q {REAL_TIME} AS INSERT INTO {out.name} BY NAME {query}")
    source.write([("ada", "5"), ("ada", "1"), ("ada", "-9"), ("ada", "0"), ("ada", "8")])
    expected = [("ada", "5"), ("ada", "6"), ("ada", None), ("ada", "5")]
    eventually(lambda: out.records() == expected)
    spark.sql("STOP STREAMING QUERY q")


def test_what_cannot_be_a_tombstone(
    spark: SparkSession, make: Callable[[str], Topic], tmp_path: Path
) -> None:
    source, out = make("source"), make("refusing")
    query = FLAGGED.format(source=source.name)
    for into, columns in [("(value)", "value, _change_type"), ("(key)", "key, _change_type")]:
        with pytest.raises(AnalysisException, match="TOPIC_COLUMNS"):
            spark.sql(
                f"START STREAMING QUERY q {NOW} AS INSERT INTO {out.name} {into} "
                f"SELECT {columns} FROM ({query})"
            )
    with pytest.raises(AnalysisException, match="CHANGES_FILTERED"):
        spark.sql(
            f"START STREAMING QUERY q {NOW} AS INSERT INTO {out.name} (key, value) "
            f"SELECT * FROM ({query}) WHERE value <> '9'"
        )
    sums = SUMS.format(source=source.name, before="")
    doubles = query.replace("CAST(key AS STRING)", "CAST(CAST(key AS STRING) AS DOUBLE)")
    text = "CAST(key AS STRING)"
    below = (
        "SELECT to_json(struct(k, x)) AS key, string(count(*)) AS value FROM "
        f"(SELECT {text} AS k, length(value) AS x FROM STREAM {source.name}) GROUP BY k, x "
        "EMIT ON CHANGE WITH CHANGE TYPE"
    )
    for grouped, form in [
        (
            sums.replace("GROUP BY", "GROUP BY partition,"),
            f"to_avro(struct(partition, {text})), or to_json(struct(…)) of other values",
        ),
        (sums.replace(f"{text} AS key", "'all' AS key"), f"Write {text}."),
        (f"SELECT key || value AS key, value, _change_type FROM ({query})", "Write key."),
        (f"SELECT upper(key) AS key, value, _change_type FROM ({query})", "Write key."),
        (f"SELECT {text} AS key, value, _change_type FROM ({doubles})", "of other types"),
        (
            f"SELECT to_json(struct(key)) AS key, value, _change_type FROM ({doubles})",
            "other types",
        ),
        (
            keyed(sums, "topic || partition", "topic, partition"),
            "to_json(struct(topic, partition))",
        ),
        (keyed(sums, "to_json(struct(timestamp))", "timestamp"), "to_avro(struct(timestamp))"),
        (keyed(sums, "CAST(timestamp AS STRING)", "timestamp"), "to_avro(struct(timestamp))"),
        (keyed(sums, "to_json(array(topic))", "array(topic)"), "of other types"),
        (keyed(sums, "to_json(struct(key))", "key"), "Write key."),
        (keyed(sums, f"to_json(struct({text} AS k))", "key"), "Write key."),
        (keyed(sums, f"encode({text}, 'UTF-8')", "key"), "Write key."),
        (keyed(sums, f"to_json(struct({text} AS k))", text), f"Write {text}."),
        (keyed(sums, f"to_json(struct(upper({text}) AS k))", f"upper({text})"), "Write upper("),
        (below, "to_avro(struct(k, x))"),
        (
            keyed(sums, "to_json(struct(topic AS k, partition AS k))", "topic, partition"),
            "to_json(struct(topic, partition))",
        ),
        (
            keyed(sums, "to_json(struct(topic, partition, max(offset)))", "topic, partition"),
            "to_json(struct(topic, partition))",
        ),
        (
            keyed(sums, f"to_json(struct({LOCAL} AS t))", LOCAL),
            f"to_json(struct(CAST({LOCAL} AS STRING)))",
        ),
    ]:
        with pytest.raises(AnalysisException) as caught:
            spark.sql(
                f"START STREAMING QUERY q {NOW} AS INSERT INTO {out.name} (key, value) {grouped}"
            )
        condition = "EDDYLINE_STREAMING_QUERY.CHANGES_TOPIC_KEY"
        assert caught.value.getCondition() == condition, grouped
        assert form in caught.value.getMessageParameters()["advice"], grouped
    writer = spark.sql(query).writeStream.format("kafka").option("topic", out.name)
    server = {"kafka.bootstrap.servers": str(out.broker.address)}
    with pytest.raises(AnalysisException, match=r"EDDYLINE_EMIT.CHANGE_TYPE_SINK"):
        writer.options(**server).option("checkpointLocation", str(tmp_path)).start()


def test_keys_that_tell_apart(spark: SparkSession, make: Callable[[str], Topic]) -> None:
    source, out = make("source"), make("telling")
    sums = SUMS.format(source=source.name, before="")
    for key, grouping in [
        ("key", "key"),
        ("'all'", "'all'"),
        ("CAST(offset AS STRING)", "offset"),
        ("to_json(struct(hex(key) AS key, topic, 'v1' AS form))", "hex(key), topic"),
        ("to_json(struct(unix_micros(timestamp) AS t, offset))", "unix_micros(timestamp), offset"),
        ("to_json(struct(make_valid_utf8(CAST(key AS STRING)) AS k))", VALID),
        ("to_json(struct(CAST(date(timestamp) AS STRING) AS d, topic))", "date(timestamp), topic"),
        ("to_json(struct(window, topic))", "window(timestamp, '1 hour'), topic"),
        ("to_json(struct(window.start, topic))", "window(timestamp, '1 hour'), topic"),
    ]:
        spark.sql(
            f"START STREAMING QUERY q {NOW} AS INSERT INTO {out.name} (key, value) "
            f"{keyed(sums, key, grouping)}"
        )
        spark.sql("DROP STREAMING QUERY q")


def keyed(query: str, key: str, grouping: str) -> str:
    """Groups SUMS by something else, and computes the key of its records from that."""
    return query.replace("CAST(key AS STRING) AS key", f"{key} AS key").replace(
        "BY CAST(key AS STRING)", f"BY {grouping}"
    )
