"""A server and a broker are killed in the middle of micro-batches of real-time mode."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from checkpoints import await_commit
from eddyline import streaming_queries
from faults.query_servers import QueryServer
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.counts import START, Counts
from kafka.globaltables import create, person
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")


def new_counts(spark: SparkSession, running: Broker) -> Counts:
    """Makes the topics of a query that counts; both are new to the broker."""
    salt = f"{random.getrandbits(32):x}"
    counts = Counts(*(Topic(spark, running, f"{name}_{salt}") for name in ("source", "counted")))
    for topic in (counts.source, counts.out):
        Admin(spark, running).create(topic.name)
    return counts


def test_no_record_is_lost_and_none_is_counted_twice(
    spark: SparkSession, running: Broker, connector_jars: list[Path], tmp_path: Path
) -> None:
    counts = new_counts(spark, running)
    tables = [topic.definition() for topic in (counts.source, counts.out)]
    server = QueryServer(tmp_path, "server", tables, 1, jars=connector_jars)
    server.start()
    server.wait()
    try:
        server.ask(0, 0, counts.statement("CREATE"))
        for number in range(3):
            for _ in range(2):
                counts.send(*random.choices("abc", k=10))
                counts.await_answers()
            if number == 1:  # the next run goes on from a state that is not empty
                await_commit(tmp_path / "checkpoints/counts")
            server.kill()
            server.start()
            server.wait()
        counts.send("a")
        counts.await_answers()
    finally:
        server.close()
    counts.assert_exact()


def test_no_commit_ends_what_an_executor_may_still_write(
    spark: SparkSession, running: Broker, connector_jars: list[Path], tmp_path: Path
) -> None:
    """The application that takes over repeats rows until those of the killed one have ended."""
    counts = new_counts(spark, running)
    tables = [topic.definition() for topic in (counts.source, counts.out)]
    checkpoint = tmp_path / "checkpoints/counts"

    def answering() -> tuple[set[str], list[str]]:
        found = json.loads((checkpoint / "eddyline/answering").read_text())
        return set(found["runs"]), found["ends"]

    before: set[str] = set()
    for silence in ("1h", "1h", "20s"):
        conf = {"spark.network.timeout": silence, "spark.network.timeoutInterval": "5s"}
        server = QueryServer(tmp_path, "server", tables, 1, jars=connector_jars, conf=conf)
        server.start()
        server.wait()
        try:
            if not before:
                server.ask(0, 0, counts.statement("CREATE"))
            counts.send("a", "b")
            counts.await_answers()
            if silence == "20s":
                eventually(lambda: len(answering()[0]) == 1 and not answering()[1])
                assert not answering()[0] & before
            elif before:
                await_commit(checkpoint)  # of a micro-batch that has passed the ends
                await_commit(checkpoint)
                runs, ends = answering()
                assert runs > before
                assert ends
            before = answering()[0]
        finally:
            server.close()
    counts.assert_exact()


def test_a_broker_is_killed(
    spark: SparkSession, running: Broker, make: Callable[[str], Topic]
) -> None:
    """The queries wait for it: none fails, and the lookups follow the new version after it."""
    people, found = make("people"), make("found")
    counts = Counts(make("sent_on"), make("counted_on"))
    people.write([person(0, "before")])
    table = create(people, "REFRESH EVERY 200 MILLISECONDS")
    spark.sql(counts.statement())
    spark.sql(
        START.format(verb="START", name="names", out=found.name)
        + f"SELECT string(s.key), name FROM STREAM {counts.source.name} AS s "
        f"JOIN {table} ON id = int(string(s.key))"
    )

    def see(name: str) -> bool:
        counts.send("0")
        return ("0", name) in found.records()

    counts.send("1", "2", "1")
    eventually(lambda: see("before"))
    counts.await_answers()
    running.kill()
    running.start()
    people.write([person(0, "after")])
    eventually(lambda: see("after"))
    counts.send("1", "2", "3")
    counts.await_answers()
    states = [(query.status, query.last_error) for query in streaming_queries(spark)]
    assert states == [("RUNNING", None)] * 2
    counts.assert_exact()
