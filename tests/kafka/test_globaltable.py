"""Global tables over topics, which hold the last record of each key (KIP-99)."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException

from kafka.admin import Admin
from kafka.broker import Broker
from kafka.globaltables import KINDS, create, of_kind, person, refresh, rows
from kafka.topics import Record, Topic
from streaming.globaltable_harness import (
    SOON,
    Lookups,
    described,
    new_driver,
    shown,
    snapshots,
    versions,
)
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MALFORMED: list[Record] = [
    ("1", '{"name": "ada"}'),
    ("1", "{name"),
    ("2", '{"name": "bob"}'),
    ("x", '{"name": "cy"}'),
    ("3", '{"name": '),
]


@pytest.mark.parametrize("kind", KINDS)
def test_last_arrival_wins(spark: SparkSession, topic: Topic, kind: str) -> None:
    topic.write([person(1, "ada"), person(2, "bob"), person(1, "eve"), ("2", None)])
    table = create(topic, columns=of_kind(kind))
    assert rows(spark, table) == {1: "eve"}
    topic.write([person(2, "bea"), (None, "{}"), ("1", None), person(3, "cy"), ("3", None)])
    assert rows(spark, table) == {1: "eve"}
    assert refresh(spark, table) == {2: "bea"}
    assert described(spark, table)["null_keys_dropped"] == "1"
    assert described(spark, table)["source"] == "kafka"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["deleted", "offset"])
def test_columns_with_names_of_eddyline(
    spark: SparkSession, topic: Topic, kind: str, key: str
) -> None:
    value = {"deleted": "partition", "offset": "deleted"}[key]
    topic.write([(str(i), f'{{"__eddyline_{value}": "ada"}}') for i in range(100)])
    columns = f"__eddyline_{key} {kind}, __eddyline_{value} STRING"
    table = create(topic, columns=f"{columns}, PRIMARY KEY (__eddyline_{key})")
    assert rows(spark, table) == dict.fromkeys(range(100), "ada")
    topic.write([("7", f'{{"__eddyline_{value}": "eve"}}'), ("8", None)])
    expected = {i: "eve" if i == 7 else "ada" for i in range(100) if i != 8}
    assert refresh(spark, table) == expected


def test_a_restart_reads_only_what_came(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(key, "a") for key in range(50)])
    table = create(topic)
    assert described(spark, table)["records_read"] == "50"
    topic.write([person(key, "b") for key in (1, 2, 60)])
    new_driver(spark)
    expected = {**dict.fromkeys(range(50), "a"), 1: "b", 2: "b", 60: "b"}
    assert refresh(spark, table) == expected
    assert described(spark, table)["records_read"] == "3"
    new_driver(spark)
    assert refresh(spark, table) == expected
    assert described(spark, table)["records_read"] == "0"


def test_changes_equal_a_dict(spark: SparkSession, topic: Topic) -> None:
    """Random upserts and tombstones, many of which are stored as changes of a base."""
    chance = random.Random(7)
    model: dict[int, str] = {}
    table = ""
    for number, size in enumerate((300, 5, 12, 0, 9, 40, 3, 60, 1, 2)):
        news: list[Record] = []
        for _ in range(size):
            key = chance.randrange(400)
            gone = chance.random() < 0.3
            value = f"v{chance.randrange(1000)}"
            news.append((str(key), None) if gone else person(key, value))
            if gone:
                model.pop(key, None)
            else:
                model[key] = value
        topic.write(news)
        table = table or create(topic)
        assert refresh(spark, table) == model
        assert shown(spark, table).rows == len(model)
        joined = spark.sql(
            f"SELECT id, name FROM range(400) LEFT JOIN {table} USING (id) WHERE name IS NOT NULL"
        )
        assert {row.id: row.name for row in joined.collect()} == model
        if number % 3 == 2:
            new_driver(spark)
    folders = snapshots(spark, table).glob("v=*")
    stored = [(folder / "_eddyline.json").read_text("utf-8") for folder in folders]
    assert sum('"base"' in text for text in stored) >= 3


KEYS = {
    "a BIGINT, name STRING, PRIMARY KEY (a)": "a = id",
    "a INT, name STRING, PRIMARY KEY (a)": "a = int(id)",
    "a STRING, name STRING, PRIMARY KEY (a)": "a = string(id)",
    "b STRING, name STRING, a INT, PRIMARY KEY (b, a)": "a = id AND b = string(id)",
}


@pytest.mark.parametrize("columns", KEYS)
def test_executors_get_only_changes(spark: SparkSession, topic: Topic, columns: str) -> None:
    several = columns.count(",") > 2

    def record(key: int, name: str | None) -> Record:
        text = f'{{"a": {key}, "b": "{key}"}}' if several else str(key)
        return text, name and f'{{"name": "{name}"}}'

    topic.write([record(key, f"{key}" * 20) for key in range(1000)])
    table = create(topic, columns=columns, **({"key_format": "json"} if several else {}))
    query = f"SELECT id, name FROM range(990, 1010) JOIN {table} ON {KEYS[columns]}"
    spark.sql(query).collect()
    topic.write([record(995, "x"), record(996, None), record(1005, "y"), record(2000, None)])
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    expected = {key: f"{key}" * 20 for key in range(990, 1000)} | {995: "x", 1005: "y"}
    del expected[996]
    assert {row.id: row.name for row in spark.sql(query).collect()} == expected
    topic.write([record(996, "z"), record(995, None)])
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    assert {row.id: row.name for row in spark.sql(query).collect()} == (
        {key: name for key, name in expected.items() if key != 995} | {996: "z"}
    )
    facts = described(spark, table)
    assert int(facts["rows"]) == 1000
    # four changes for each replica; all rows have more than 60,000 bytes
    assert 0 < int(facts["changed_bytes"]) < 20_000 * int(facts["replicas"])


@pytest.mark.parametrize("kind", KINDS)
def test_aborted_records_are_invisible(spark: SparkSession, topic: Topic, kind: str) -> None:
    admin = Admin(spark, topic.broker)
    admin.transaction(topic.name, [person(1, "ada"), person(2, "bob")], commits=True)
    admin.transaction(topic.name, [person(1, "eve"), ("2", None)], commits=False)
    table = create(topic, columns=of_kind(kind))
    assert rows(spark, table) == {1: "ada", 2: "bob"}
    admin.transaction(topic.name, [person(3, "mal")], commits=False)
    admin.transaction(topic.name, [person(2, "bea")], commits=True)
    assert refresh(spark, table) == {1: "ada", 2: "bea"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("PERMISSIVE", {1: None, 2: "bob", 3: None}),
        ("dropmalformed", {1: "ada", 2: "bob"}),
    ],
)
def test_malformed(
    spark: SparkSession, topic: Topic, mode: str, expected: dict[int, Any], kind: str
) -> None:
    topic.write(MALFORMED)
    table = create(topic, columns=of_kind(kind), mode=mode)
    assert rows(spark, table) == expected
    assert described(spark, table)["malformed_records"] == "3"
    topic.write([("4", "["), person(1, "eve")])
    assert refresh(spark, table)[1] == "eve"
    assert described(spark, table)["malformed_records"] == "4"


def test_malformed_fails(spark: SparkSession, topic: Topic) -> None:
    topic.write(MALFORMED[:1])
    table = create(topic, mode="FAILFAST")
    topic.write(MALFORMED[1:3])
    with pytest.raises(AnalysisException) as caught:
        refresh(spark, table)
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.MALFORMED_RECORD"
    parameters = caught.value.getMessageParameters()
    assert parameters is not None
    assert (parameters["partition"], parameters["offset"]) == ("0", "1")
    assert rows(spark, table) == {1: "ada"}
    assert "MALFORMED_RECORD" in shown(spark, table).last_error


def test_formats(spark: SparkSession, topic: Topic) -> None:
    topic.write([('{"a": 1, "b": "x"}', "2026-01-02"), ('{"a": 2}', "2026-01-02"), ("{", "?")])
    table = create(
        topic,
        columns="a INT, day DATE, b STRING, PRIMARY KEY (a, b)",
        key_format="json",
        value_format="string",
    )
    ((a, day, b),) = spark.table(table).collect()
    assert (a, str(day), b) == (1, "2026-01-02", "x")
    facts = described(spark, table)
    assert (facts["null_keys_dropped"], facts["malformed_records"]) == ("1", "1")


def test_added_partitions(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(1, "ada"), person(2, "bob")])
    table = create(topic)
    Admin(spark, topic.broker).add_partitions(topic.name, 3)
    frame = spark.createDataFrame(
        [("1", '{"name": "eve"}', 2), ("5", '{"name": "flo"}', 1)],
        "key STRING, value STRING, partition INT",
    )
    options = {"kafka.bootstrap.servers": topic.broker.address, "topic": topic.name}
    eventually(lambda: frame.write.format("kafka").options(**options).save() is None)
    assert refresh(spark, table) == {1: "eve", 2: "bob", 5: "flo"}


def test_a_deleted_topic_keeps_the_version(spark: SparkSession, topic: Topic) -> None:
    topic.write_alone([person(1, "ada"), person(2, "bob")])
    table = create(topic)
    Admin(spark, topic.broker).delete(topic.name)
    with pytest.raises(AnalysisException) as caught:
        refresh(spark, table)
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.TOPIC_NOT_FOUND"
    assert rows(spark, table) == {1: "ada", 2: "bob"}
    assert "TOPIC_NOT_FOUND" in shown(spark, table).last_error
    Admin(spark, topic.broker).create(topic.name)
    topic.write_alone([person(3, "cy")])
    assert refresh(spark, table) == {3: "cy"}


def test_lost_records(spark: SparkSession, topic: Topic) -> None:
    """What no version has read is gone, so the rest of the topic is read again."""
    topic.write([person(1, "ada"), person(2, "bob")])
    table = create(topic)
    topic.write([("1", None), person(3, "cy"), person(4, "di")])
    Admin(spark, topic.broker).delete_records(topic.name, 4)
    assert refresh(spark, table) == {4: "di"}


def test_a_topic_that_is_split_into_more_partitions(spark: SparkSession, topic: Topic) -> None:
    """Its first records are gone, so that a range from offset 0 would have none."""
    topic.write([person(key, "a") for key in range(8)])
    Admin(spark, topic.broker).delete_records(topic.name, 5)
    table = create(topic, minPartitions="4")
    assert rows(spark, table) == dict.fromkeys(range(5, 8), "a")


def test_a_null_key_is_counted_before_rows_change(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(1, "ada")])
    table = create(topic)
    topic.write([(None, "{}")])
    assert refresh(spark, table) == refresh(spark, table) == {1: "ada"}
    topic.write([person(2, "bob")])
    assert refresh(spark, table) == {1: "ada", 2: "bob"}
    assert described(spark, table)["null_keys_dropped"] == "1"


def test_a_removed_snapshot(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(key, "a") for key in range(20)])
    table = create(topic)
    topic.write([person(1, "b")])
    assert refresh(spark, table)[1] == "b"
    (base, changes) = sorted(snapshots(spark, table).glob("v=*"))
    shutil.rmtree(base)
    topic.write([person(2, "c")])
    assert refresh(spark, table) == {**dict.fromkeys(range(20), "a"), 1: "b", 2: "c"}
    assert changes.exists()


def test_a_stream_follows_while_the_broker_returns(
    spark: SparkSession, topic: Topic, tmp_path: Path
) -> None:
    topic.write([person(1, "ada")])
    table = create(topic, SOON)
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    text = f"SELECT e.k, g.name FROM STREAM events AS e LEFT JOIN {table} AS g ON e.k = g.id"
    stream = Lookups(spark, tmp_path / "checkpoint", text)
    stream.start()
    assert stream.see(1, 2) == [(1, "ada"), (2, None)]
    topic.broker.kill()
    eventually(lambda: shown(spark, table).status == "FAILING")
    assert stream.see(1) == [(1, "ada")]
    topic.broker.start()
    topic.write([person(2, "bob"), ("1", None)])
    eventually(lambda: rows(spark, table) == {2: "bob"})
    assert stream.see(1, 2) == [(1, None), (2, "bob")]
    stream.stop()


def test_a_replay_joins_the_same_changes(spark: SparkSession, topic: Topic, tmp_path: Path) -> None:
    topic.write([person(key, "a") for key in range(100)])
    table = create(topic)
    topic.write([person(1, "b"), ("2", None)])
    refresh(spark, table)
    spark.sql("CREATE TABLE events (k INT) USING parquet")
    text = f"SELECT e.k, g.name FROM STREAM events AS e LEFT JOIN {table} AS g ON e.k = g.id"
    stream = Lookups(spark, tmp_path / "checkpoint", text)

    def fail(_batch: object, number: int) -> None:
        if number == 1:
            raise RuntimeError("the sink is away")

    stream.start()
    assert stream.see(0, 1, 2) == [(0, "a"), (1, "b"), (2, None)]
    stream.sink = fail
    with pytest.raises(Exception, match="the sink is away"):
        stream.see(1, 2)
    topic.write([person(1, "c"), person(2, "c")])
    new_driver(spark)
    assert refresh(spark, table)[1] == "c"
    assert len(versions(spark, table)) == 3
    stream.sink = lambda _batch, _number: None
    stream.start().processAllAvailable()
    assert stream.attempts[-1] == (1, [(1, "b"), (2, None)])
    assert stream.see(2) == [(2, "c")]
    stream.stop()


def test_staleness_is_measured_against_the_end(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(1, "ada")])
    table = create(topic, "REFRESH EVERY 1 HOUR MAX STALENESS 5 SECONDS")
    topic.write([person(1, "eve")])
    eventually(lambda: shown(spark, table).age_ms > 5000)
    assert rows(spark, table) == {1: "eve"}
    topic.broker.kill()
    eventually(lambda: shown(spark, table).age_ms > 5000)
    with pytest.raises(AnalysisException) as caught:
        rows(spark, table)
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.STALE"


def test_an_unknown_topic(spark: SparkSession, running: Broker) -> None:
    with pytest.raises(AnalysisException) as caught:
        create(Topic(spark, running, "nowhere"))
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.TOPIC_NOT_FOUND"
    assert caught.value.getSqlState() == "42P01"
    assert not spark.catalog.tableExists("nowhere_table")


def test_only_the_session_catalog(spark: SparkSession, running: Broker) -> None:
    statement = (
        "CREATE GLOBAL TABLE lake.ns.g (k INT, v INT, PRIMARY KEY (k)) USING kafka"
        f" OPTIONS (kafka.bootstrap.servers '{running.address}', subscribe 't')"
    )
    with pytest.raises(AnalysisException) as caught:
        spark.sql(statement)
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.TOPIC_CATALOG"


def test_the_source_alone_has_no_rows(spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.read.format("eddyline_kafka").schema("k INT").load().collect()
    assert caught.value.getCondition() == "EDDYLINE_GLOBAL_TABLE.EXTENSIONS_MISSING"


def test_a_table_of_a_topic_is_not_written(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(1, "ada")])
    table = create(topic)
    with pytest.raises(AnalysisException) as caught:
        spark.sql(f"INSERT INTO {table} VALUES (2, 'bob')")
    assert caught.value.getCondition() == "UNSUPPORTED_INSERT.NOT_ALLOWED"
    with pytest.raises(AnalysisException):
        spark.sql(
            f"START STREAMING QUERY w AS INSERT INTO {table} SELECT 1, key FROM STREAM {topic.name}"
        )
    assert rows(spark, table) == {1: "ada"}
