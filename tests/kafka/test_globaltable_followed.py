"""Lookups of running tasks see the records of a topic at once, whatever REFRESH EVERY says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kafka.admin import Admin
from kafka.globaltables import create, rows
from kafka.topics import Record, Topic
from streaming.globaltable_harness import SOON, described, shown, versions
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = "id BIGINT, n BIGINT, PRIMARY KEY (id)"
LATER = "REFRESH EVERY 1 HOUR"


def row(key: int, n: int | None) -> Record:
    return str(key), None if n is None else f'{{"n": {n}}}'


def follow(spark: SparkSession, table: str) -> Any:
    """Returns a lookup as tasks of real-time mode have it, which has begun."""
    helpers: Any = spark._jvm.org.apache.spark.sql.execution.joins.eddyline
    found = helpers.FollowedLookup(spark.table(table)._jdf)
    found.begin()
    return found


def has(found: Any, **expected: int | None) -> bool:
    """Whether a lookup finds these numbers, each named after its key; None: no row."""
    return all(
        [*found.find(int(key[1:]))] == ([] if n is None else [n]) for key, n in expected.items()
    )


def test_each_record_is_seen_and_none_is_stored(spark: SparkSession, topic: Topic) -> None:
    topic.write([row(1, 1), row(2, 2)])
    table = create(topic, LATER, columns=COLUMNS)
    found = follow(spark, table)
    for n in range(3, 8):
        topic.write([row(1, 0), row(1, n), (None, "{}")])
        eventually(lambda n=n: has(found, _1=n))
    topic.write([row(2, None), row(3, 3)])
    eventually(lambda: has(found, _1=7, _2=None, _3=3))
    late = follow(spark, table)
    eventually(lambda: has(late, _1=7, _2=None, _3=3))
    topic.write([row(2, 4), row(3, None), row(9, None)])
    eventually(lambda: has(found, _1=7, _2=4, _3=None, _9=None))
    assert len(versions(spark, table)) == 1
    assert described(spark, table)["records_read"] == "22"
    spark.sql(f"REFRESH GLOBAL TABLE {table}")
    assert rows(spark, table) == {1: 7, 2: 4}
    assert described(spark, table)["null_keys_dropped"] == "5"
    assert has(found, _1=7, _2=4, _3=None)


def test_a_query_gets_later_rows_after_the_interval(spark: SparkSession, topic: Topic) -> None:
    """No version is stored until a query asks for one; then the lookups go on."""
    topic.write([row(1, 1)])
    table = create(topic, SOON, columns=COLUMNS)
    found = follow(spark, table)
    for n in range(2, 5):
        topic.write([row(1, n)])
        eventually(lambda n=n: has(found, _1=n))
        eventually(lambda n=n: rows(spark, table) == {1: n})
    topic.write([row(1, 5)])
    eventually(lambda: has(found, _1=5))


def test_more_changes_than_a_version_has(spark: SparkSession, topic: Topic) -> None:
    """All rows are stored again meanwhile, and the next ones are changes of these."""
    topic.write([row(key, 0) for key in range(5)])
    table = create(topic, LATER, columns=COLUMNS)
    found = follow(spark, table)
    text = spark.range(12_000).selectExpr("string(id) AS key", "'{\"n\": 1}' AS value").coalesce(1)
    options = {"kafka.bootstrap.servers": topic.broker.address, "topic": topic.name}
    text.write.format("kafka").options(**options).save()
    eventually(lambda: has(found, _0=1, _11999=1))
    eventually(lambda: int(described(spark, table)["rows"]) == 12_000)
    topic.write([row(0, 2), row(11_999, None), row(12_000, 2)])
    eventually(lambda: has(found, _0=2, _1=1, _11999=None, _12000=2))
    late = follow(spark, table)
    eventually(lambda: has(late, _0=2, _1=1, _11999=None, _12000=2))


def test_a_table_that_is_refreshed_by_hand(spark: SparkSession, topic: Topic) -> None:
    topic.write([row(1, 1)])
    manual = create(topic, columns=COLUMNS)
    followed = create(topic, LATER, columns=COLUMNS, name=f"{topic.name}_followed")
    by_hand, found = follow(spark, manual), follow(spark, followed)
    topic.write([row(1, 2)])
    eventually(lambda: has(found, _1=2))
    assert has(by_hand, _1=1)
    spark.sql(f"REFRESH GLOBAL TABLE {manual}")
    eventually(lambda: has(by_hand, _1=2))
    topic.write([row(1, 3)])
    eventually(lambda: has(found, _1=3))
    assert has(by_hand, _1=2)


def test_a_broker_that_is_away(spark: SparkSession, topic: Topic) -> None:
    topic.write([row(1, 1)])
    table = create(topic, SOON, columns=COLUMNS)
    found = follow(spark, table)
    topic.write([row(1, 2)])
    eventually(lambda: has(found, _1=2))
    topic.broker.kill()
    eventually(lambda: shown(spark, table).status == "FAILING")
    assert has(found, _1=2)
    topic.broker.start()
    topic.write([row(1, 3)])
    eventually(lambda: has(found, _1=3))
    eventually(lambda: shown(spark, table).status == "OK")


@pytest.mark.parametrize("clauses", [SOON, LATER])
def test_a_topic_that_is_created_again(spark: SparkSession, topic: Topic, clauses: str) -> None:
    """It is longer than the old one, so that offsets do not show it."""
    topic.write_alone([row(1, 1), row(2, 2)])
    table = create(topic, clauses, columns=COLUMNS)
    found = follow(spark, table)
    topic.write_alone([row(1, 3)])
    eventually(lambda: has(found, _1=3))
    admin = Admin(spark, topic.broker)
    admin.delete(topic.name)
    admin.create(topic.name)
    topic.write_alone([row(key, 4) for key in range(2, 9)])
    eventually(lambda: has(found, _1=None, _2=4, _8=4))
    topic.write_alone([row(1, 5), row(2, None)])
    eventually(lambda: has(found, _1=5, _2=None, _8=4))


def test_a_record_that_cannot_be_read(spark: SparkSession, topic: Topic) -> None:
    topic.write([row(1, 1)])
    table = create(topic, SOON, columns=COLUMNS, mode="FAILFAST")
    found = follow(spark, table)
    topic.write([row(1, 2)])
    eventually(lambda: has(found, _1=2))
    topic.write([("2", "{"), row(1, 3)])
    eventually(lambda: "MALFORMED_RECORD" in shown(spark, table).last_error)
    assert has(found, _1=2)
    Admin(spark, topic.broker).delete_records(topic.name, 3)
    eventually(lambda: has(found, _1=3))


def test_a_limit_that_is_raised(spark: SparkSession, topic: Topic) -> None:
    topic.write([row(1, 1)])
    table = create(topic, f"MAX ROWS 2 {SOON}", columns=COLUMNS)
    found = follow(spark, table)
    topic.write([row(2, 2)])
    eventually(lambda: has(found, _2=2))
    topic.write([row(3, 3)])
    eventually(lambda: "TOO_LARGE" in shown(spark, table).last_error)
    assert has(found, _1=1, _2=2, _3=None)
    spark.sql(f"ALTER GLOBAL TABLE {table} SET MAX ROWS 3")
    eventually(lambda: has(found, _1=1, _2=2, _3=3))


def test_a_partition_that_is_added(spark: SparkSession, topic: Topic) -> None:
    topic.write([row(1, 1)])
    table = create(topic, SOON, columns=COLUMNS)
    found = follow(spark, table)
    topic.write([row(1, 2)])
    eventually(lambda: has(found, _1=2))
    Admin(spark, topic.broker).add_partitions(topic.name, 3)
    eventually(lambda: topic.write([row(5, 5)], partition="2") is None)
    eventually(lambda: has(found, _1=2, _5=5))


def test_a_table_that_is_dropped(spark: SparkSession, topic: Topic) -> None:
    topic.write([row(1, 1)])
    table = create(topic, LATER, columns=COLUMNS)
    found = follow(spark, table)
    topic.write([row(1, 2)])
    eventually(lambda: has(found, _1=2))
    spark.sql(f"DROP GLOBAL TABLE {table}")
    again = create(topic, LATER, columns=COLUMNS)
    other = follow(spark, again)
    topic.write([row(1, 3)])
    eventually(lambda: has(other, _1=3))
    assert has(found, _1=2)
