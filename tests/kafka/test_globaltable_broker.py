"""Global tables over topics of a broker that asks who reads, and of topics that it compacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from kafka.admin import Admin
from kafka.broker import LOGIN, PASSWORD, USER, Broker
from kafka.globaltables import create, person, refresh, rows
from kafka.topics import Topic
from streaming.globaltable_harness import described, new_driver
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def create_secure(topic: Topic, password: str) -> str:
    """Creates a global table that reads from the port where users log in."""
    return create(
        topic,
        kafka_bootstrap_servers=f"127.0.0.1:{topic.broker.secure_port}",
        kafka_security_protocol="SASL_PLAINTEXT",
        kafka_sasl_mechanism="PLAIN",
        kafka_sasl_jaas_config=f'{LOGIN} username="{USER}" password="{password}";',
    )


def test_sasl(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(1, "ada")])
    table = create_secure(topic, PASSWORD)
    assert rows(spark, table) == {1: "ada"}
    topic.write([person(2, "bob")])
    new_driver(spark)
    assert refresh(spark, table) == {1: "ada", 2: "bob"}
    for statement in ("SHOW CREATE GLOBAL TABLE", "DESCRIBE GLOBAL TABLE", "DESCRIBE EXTENDED"):
        assert PASSWORD not in str(spark.sql(f"{statement} {table}").collect())
    assert "USING kafka" in spark.sql(f"SHOW CREATE GLOBAL TABLE {table}").collect()[0][0]


def test_a_wrong_password(spark: SparkSession, topic: Topic) -> None:
    topic.write([person(1, "ada")])
    with pytest.raises(AnalysisException) as caught:
        create_secure(topic, "wrong-password")
    assert "Authentication failed" in str(caught.value)
    assert "wrong-password" not in str(caught.value)
    assert not spark.catalog.tableExists(f"{topic.name}_table")


def test_compaction(spark: SparkSession, running: Broker, topic: Topic) -> None:
    """Offsets have gaps, and tombstones go: who was away for too long reads the topic again."""
    admin = Admin(spark, running)
    settings = {"cleanup_policy": "compact", "segment_ms": "50", "min_cleanable_dirty_ratio": "0"}
    name = f"{topic.name}_compacted"
    admin.create(name, delete_retention_ms="0", **settings)
    compacted = Topic(spark, running, name)
    early = create(compacted, mode="FAILFAST", delete_retention_ms="0")
    expected = {}
    for number in range(4):
        compacted.write(person(key, f"v{number}") for key in range(20))
        expected = dict.fromkeys(range(20), f"v{number}")
        if number == 1:
            assert refresh(spark, early) == expected
    compacted.write((str(key), None) for key in range(5))
    expected = {key: name for key, name in expected.items() if key >= 5}

    def is_compacted() -> bool:
        compacted.write([person(99, "the record that begins a segment")])
        return len({key for key, _ in compacted.records()} & set("01234")) == 0

    eventually(is_compacted)
    expected[99] = "the record that begins a segment"
    assert refresh(spark, early) == expected
    spark.sql(f"DROP GLOBAL TABLE {early}")
    late = create(compacted, mode="FAILFAST")
    assert rows(spark, late) == expected
    assert int(described(spark, late)["records_read"]) < 80
