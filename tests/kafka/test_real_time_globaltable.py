"""Lookups of a query in real-time mode in a global table over a topic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from kafka.admin import Admin
from kafka.broker import Broker
from kafka.globaltables import create
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")


def test_a_table_over_a_topic_follows_it_without_a_slot(
    spark: SparkSession, running: Broker, make: Callable[[str], Topic]
) -> None:
    """The tasks of the query hold all; the last records are more than changes of a version."""
    source, people, out = make("wide"), make("people"), make("out")
    admin = Admin(spark, running)
    admin.add_partitions(source.name, 6)
    people.write([("a", '{"name": "Ada"}')])
    columns = "id STRING, name STRING, PRIMARY KEY (id)"
    table = create(people, "REFRESH EVERY 100 MILLISECONDS", columns=columns)
    many = spark.range(9_990).selectExpr("string(id) AS key", "'{}' AS value")
    options = {"kafka.bootstrap.servers": running.address, "topic": people.name}
    many.coalesce(1).write.format("kafka").options(**options).save()
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    start = "START STREAMING QUERY q TRIGGER REAL TIME 10 MINUTES"
    insert = f"{start} AS INSERT INTO {out.name} (key, value)"
    lookup = f"SELECT id, name FROM STREAM {source.name} AS s JOIN {{}} AS t ON string(s.key) = id"
    grouped = f"(SELECT id, max(name) AS name FROM {table} GROUP BY id)"
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"{insert} {lookup.format(grouped)}")
    assert caught.value.getCondition() == "EDDYLINE_STREAMING_QUERY.REAL_TIME_SLOTS"
    assert f"6 (topic {source.name}) + 1 (refresh of " in str(caught.value)
    spark.sql(f"{insert} {lookup.format(table)}")

    def is_answered(key: str, count: int) -> bool:
        source.write_alone([(key, "")])
        return admin.count(out.name) >= count

    source.write_alone([("a", "")])
    eventually(lambda: admin.count(out.name) == 1)
    people.write_alone([("b", '{"name": "Bob"}')])
    eventually(lambda: is_answered("b", 2))
    people.write_alone((f"c{key}", '{"name": "Cyd"}') for key in range(20))
    # more than there may still be for the key before
    more = admin.count(out.name) + 20
    eventually(lambda: is_answered("c7", more))
    spark.sql("STOP STREAMING QUERY q")
    assert {*out.records()} == {("a", "Ada"), ("b", "Bob"), ("c7", "Cyd")}
