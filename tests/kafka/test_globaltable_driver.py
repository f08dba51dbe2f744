"""The driver reads a topic itself, without a job of Spark."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from jobs import started_jobs
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.globaltables import BY_HAND, KINDS, create, of_kind, person, refresh, rows
from kafka.topics import Record, Topic
from streaming.globaltable_harness import described, jvm, new_driver, shown, snapshots
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS = 3


@pytest.fixture
def several(spark: SparkSession, running: Broker) -> Topic:
    """Returns a topic of several partitions."""
    topic = Topic(spark, running, f"several_{random.getrandbits(32):x}")
    Admin(spark, running).create(topic.name, PARTITIONS)
    return topic


def looked_up(spark: SparkSession, table: str) -> dict[Any, Any]:
    """Returns what a lookup of each key finds."""
    query = f"SELECT id, name FROM range(200) JOIN {table} USING (id)"
    return {row.id: row.name for row in spark.sql(query).collect()}


def clients(spark: SparkSession) -> set[str]:
    """Returns the names of the threads of Kafka's admin clients."""
    threads = jvm(spark).java.lang.Thread.getAllStackTraces().keySet()
    return {name for name in (thread.getName() for thread in threads) if "kafka-admin" in name}


def test_connections_are_closed_with_the_application(spark: SparkSession, topic: Topic) -> None:
    before = clients(spark)
    create(topic)
    made = clients(spark) - before
    assert made
    new_driver(spark)
    eventually(lambda: not made & clients(spark))


@pytest.mark.parametrize("kind", KINDS)
def test_no_job_runs(spark: SparkSession, topic: Topic, kind: str) -> None:
    expected = dict.fromkeys(range(100), "a")
    topic.write([person(key, name) for key, name in expected.items()])
    before = started_jobs(spark)
    table = create(topic, columns=of_kind(kind))
    assert started_jobs(spark) == before
    assert looked_up(spark, table) == expected
    news: list[list[Record]] = [
        [person(1, "b")],
        [person(1, "c"), ("2", None), person(150, "d"), ("190", None)],
        [person(2, "e"), ("150", None), (None, "{}"), ("x", "{}"), person(3, "f"), ("3", None)],
    ]
    for records in news:
        topic.write(records)
        before = started_jobs(spark)
        spark.sql(f"REFRESH GLOBAL TABLE {table}")
        assert started_jobs(spark) == before
    expected |= {1: "c", 2: "e"}
    del expected[3]
    assert looked_up(spark, table) == expected
    assert rows(spark, table) == expected
    facts = described(spark, table)
    assert (facts["rows"], facts["records_read"]) == ("99", "111")
    assert (facts["null_keys_dropped"], facts["malformed_records"]) == ("1", "1")


def write_many(topic: Topic, keys: range, name: str) -> None:
    """Appends a record for each key."""
    value = f"""'{{"name": "{name}"}}'"""
    records = topic.spark.range(keys.start, keys.stop).selectExpr(
        "string(id) AS key", f"{value} AS value", "0 AS partition"
    )
    options = {"kafka.bootstrap.servers": topic.broker.address, "topic": topic.name}
    records.coalesce(1).write.format("kafka").options(**options).save()


@pytest.mark.parametrize("kind", KINDS)
def test_many_records_take_no_job(spark: SparkSession, topic: Topic, kind: str) -> None:
    """Neither do many changes, of which a version with all rows is made, nor those after it."""
    write_many(topic, range(20_000), "a")
    before = started_jobs(spark)
    table = create(topic, columns=of_kind(kind))
    assert started_jobs(spark) == before
    assert len(looked_up(spark, table)) == 200
    write_many(topic, range(100, 15_000), "b")
    before = started_jobs(spark)
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    assert started_jobs(spark) == before
    new = max(
        snapshots(spark, table).glob("v=*/_eddyline.json"), key=lambda path: path.stat().st_mtime
    )
    assert "base" not in json.loads(new.read_text("utf-8"))
    topic.write([person(150, "c"), ("151", None)])
    before = started_jobs(spark)
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    assert started_jobs(spark) == before
    expected = {key: "a" if key < 100 else "b" for key in range(200) if key != 151} | {150: "c"}
    assert looked_up(spark, table) == expected
    assert shown(spark, table).rows == 19_999


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_takes_no_job(spark: SparkSession, topic: Topic, kind: str) -> None:
    """The driver reads the version, which is changes of another one, from its snapshots."""
    topic.write([person(key, "a") for key in range(100)])
    table = create(topic, columns=of_kind(kind))
    topic.write([person(1, "b"), ("2", None)])
    refresh(spark, table)
    topic.write([person(3, "c")])
    new_driver(spark)
    before = started_jobs(spark)
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    assert started_jobs(spark) == before
    expected = dict.fromkeys(range(100), "a") | {1: "b", 3: "c"}
    del expected[2]
    assert rows(spark, table) == expected
    assert described(spark, table)["records_read"] == "1"


@pytest.mark.parametrize(
    "limit", ["MAX ROWS 10", "MAX BYTES 1000"], ids=lambda limit: limit.partition(" 1")[0]
)
def test_a_limit_ends_the_reading(spark: SparkSession, topic: Topic, limit: str) -> None:
    """What comes after the record that exceeds it is not read: else the last one would fail."""
    topic.write([person(key, "a") for key in range(8)])
    table = create(topic, f"{limit} {BY_HAND}", mode="FAILFAST")
    expected = dict.fromkeys(range(8), "a")
    topic.write([(str(key), None) for key in range(100, 200)])
    topic.write([person(key, "b") for key in range(4)])
    expected |= dict.fromkeys(range(4), "b")
    assert refresh(spark, table) == expected
    topic.write([*(person(key, "c") for key in range(100)), ("1", "[")])
    with pytest.raises(AnalysisException) as caught:
        refresh(spark, table)
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.TOO_LARGE"
    assert limit in str(caught.value)
    assert rows(spark, table) == expected
    assert "TOO_LARGE" in shown(spark, table).last_error
    late = topic.name + "_late"
    with pytest.raises(AnalysisException) as caught:
        create(topic, f"{limit} {BY_HAND}", name=late, mode="FAILFAST")
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.TOO_LARGE"
    assert not spark.catalog.tableExists(late)


@pytest.mark.parametrize(
    ("kind", "texts", "found"),
    [
        ("DOUBLE", ["0.0", "-0.0", "1", '"NaN"', '"NaN"'], 3),
        ("STRING COLLATE UTF8_LCASE", ['"Ada"', '"ADA"', '"bob"'], 2),
        ("STRUCT<a: FLOAT, b: STRING>", ['{"a": 0.0}', '{"b": null, "a": -0.0}', '{"a": 1}'], 2),
        ("ARRAY<DOUBLE>", ["[0.0, 1]", "[-0.0, 1.0]", "[1]"], 2),
        ("DECIMAL(20, 2)", ["1", "1.0", "2"], 2),
    ],
)
def test_keys_that_are_equal_have_one_row(
    spark: SparkSession, topic: Topic, kind: str, texts: list[str], found: int
) -> None:
    """Also where their bytes differ, and where the first one was read from a snapshot."""

    def record(text: str, name: str) -> Record:
        return f'{{"id": {text}}}', f'{{"name": "{name}"}}'

    columns = f"id {kind}, name STRING, PRIMARY KEY (id)"
    topic.write([record(text, "a") for text in texts])
    table = create(topic, columns=columns, key_format="json")
    assert [row.name for row in spark.table(table).collect()] == ["a"] * found
    topic.write([record(text, "b") for text in texts[:2]])
    new_driver(spark)
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    names = sorted(row.name for row in spark.table(table).collect())
    assert names == ["a"] * (found - 1) + ["b"]
    topic.write([(record(text, "")[0], None) for text in texts[:1]])
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    assert [row.name for row in spark.table(table).collect()] == ["a"] * (found - 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_record_of_a_key_in_several_partitions(
    spark: SparkSession, several: Topic, kind: str
) -> None:
    chance = random.Random(5)

    def news(size: int) -> list[Record]:
        keys = [chance.randrange(150) for _ in range(size)]
        return [
            (str(key), None) if chance.random() < 0.3 else person(key, f"v{chance.random()}")
            for key in keys
        ]

    place = f"pmod(hash(key, value), {PARTITIONS})"
    several.create().write(news(400), place)
    table = create(several, columns=of_kind(kind))
    for _ in range(5):
        several.write(news(6), place)
        expected = last_of(several)
        assert refresh(spark, table) == expected
        assert looked_up(spark, table) == expected
        assert shown(spark, table).rows == len(expected)


def last_of(topic: Topic) -> dict[int, str]:
    """Returns the last record of each key: by offset, then by time and partition."""
    columns = "int(string(key)) AS key, string(value) AS value, partition, offset, timestamp"
    found = topic.spark.table(topic.name).selectExpr(*columns.split(", ")).collect()
    last: dict[tuple[int, int], Any] = {}
    for record in sorted(found, key=lambda record: record.offset):
        last[record.key, record.partition] = record
    newest = sorted(last.values(), key=lambda record: (record.timestamp, record.partition))
    values = {record.key: record.value for record in newest}
    return {key: json.loads(value)["name"] for key, value in values.items() if value is not None}


@pytest.mark.parametrize("kind", ["BIGINT", "STRING"])
def test_a_topic_that_was_empty(spark: SparkSession, topic: Topic, kind: str) -> None:
    """All rows are changes of a version without rows, and in the end there are none again."""
    table = create(topic, columns=f"id {kind}, name STRING, PRIMARY KEY (id)")
    others = f"SELECT id FROM range(3) WHERE {kind}(id) NOT IN (SELECT id FROM {table})"
    steps: list[tuple[list[Record], dict[int, str]]] = [
        ([], {}),
        ([person(1, "a"), person(2, "b")], {1: "a", 2: "b"}),
        ([person(1, "c"), ("2", None)], {1: "c"}),
        ([("1", None)], {}),
    ]
    for records, expected in steps:
        topic.write(records)
        spark.sql(f"REFRESH GLOBAL TABLE {table}")
        assert looked_up(spark, table) == expected
        assert {row.id for row in spark.sql(others).collect()} == {0, 1, 2} - {*expected}
        assert shown(spark, table).rows == len(expected)


@pytest.mark.parametrize("kind", KINDS)
def test_records_that_change_no_row_are_counted(
    spark: SparkSession, topic: Topic, kind: str
) -> None:
    """Other counts belong to a new version; here the table stays at the one that it has."""
    topic.write([person(1, "ada")])
    table = create(topic, columns=of_kind(kind))
    before = described(spark, table)
    for times in (1, 2):
        topic.write([(None, "{}"), ("x", "{}")])
        assert refresh(spark, table) == {1: "ada"}
        facts = described(spark, table)
        assert facts["version"] == before["version"]
        assert facts["null_keys_dropped"] == facts["malformed_records"] == str(times)
        assert json.loads(facts["offsets"])[topic.name] == {"0": 1 + 2 * times}


def test_records_are_read_with_the_settings_of_the_session(
    spark: SparkSession, topic: Topic
) -> None:
    """The thread that reads them has no session, and Spark's defaults would refuse this month."""
    spark.conf.set("spark.sql.legacy.timeParserPolicy", "LEGACY")
    columns = "id BIGINT, seen TIMESTAMP, PRIMARY KEY (id)"
    table = create(topic, columns=columns, key_format="string", value_format="json")
    topic.write([("1", '{"seen": "2026-13-01T00:00:00.000Z"}')])
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    assert [row.seen.year for row in spark.table(table).collect()] == [2027]
