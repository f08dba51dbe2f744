"""Global tables over topics that are deleted and created again under their name."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from kafka.admin import Admin
from kafka.globaltables import create, person, refresh, rows
from kafka.topics import Record, Topic
from streaming.globaltable_harness import described, file_faults, new_driver, snapshots
from waiting import CONDITION_HANGS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def create_again(topic: Topic, records: list[Record]) -> None:
    """Deletes the topic, and writes records into another one of its name."""
    admin = Admin(topic.spark, topic.broker)
    admin.delete(topic.name)
    admin.create(topic.name)
    topic.write_alone(records)


def test_offsets_do_not_show_it(spark: SparkSession, topic: Topic) -> None:
    """The new topic ends where the old one did, or later; also while the table was not read."""
    topic.write_alone([person(1, "ada"), person(2, "bob")])
    table = create(topic, delete_retention_ms="999999999999")
    create_again(topic, [person(2, "bea"), person(3, "cy")])
    assert refresh(spark, table) == {2: "bea", 3: "cy"}
    create_again(topic, [person(key, "di") for key in range(4, 9)])
    new_driver(spark)
    assert refresh(spark, table) == dict.fromkeys(range(4, 9), "di")
    topic.write_alone([person(4, "eve")])
    assert refresh(spark, table)[4] == "eve"
    assert described(spark, table)["records_read"] == "6"


def test_while_it_is_read(spark: SparkSession, topic: Topic) -> None:
    """Records of two topics make no version: the first change waits until the topic is another."""
    topic.write_alone([person(key, "old") for key in range(100)])
    table = create(topic)
    topic.write_alone([person(1, "older")])
    (base,) = snapshots(spark, table).glob("v=*")
    faults = file_faults(spark)
    faults.hold(str(base))
    with ThreadPoolExecutor(1) as threads:
        try:
            refreshed = threads.submit(refresh, spark, table)
            faults.awaitReader()
            create_again(topic, [person(key, "new") for key in range(50, 200)])
        finally:
            faults.mend()
        expected = dict.fromkeys(range(50, 200), "new")
        assert refreshed.result(CONDITION_HANGS) == expected
    assert rows(spark, table) == expected
