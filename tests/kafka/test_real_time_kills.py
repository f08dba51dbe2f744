"""A server and a broker are killed in the middle of micro-batches of real-time mode."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from eddyline import streaming_queries
from faults.query_servers import QueryServer
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.globaltables import create, person
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

START = """
    {verb} STREAMING QUERY {name} TRIGGER REAL TIME 5 SECONDS
    OPTIONS ('spark.sql.shuffle.partitions' '1') AS INSERT INTO {out} (key, value)
"""
COUNTS = "SELECT string(key), string(count(*)) FROM STREAM {source} GROUP BY key EMIT ON CHANGE"


def test_no_record_is_lost_and_none_is_counted_twice(
    spark: SparkSession, running: Broker, connector_jars: list[Path], tmp_path: Path
) -> None:
    salt = f"{random.getrandbits(32):x}"
    source, out = (Topic(spark, running, f"{name}_{salt}") for name in ("killed", "counted"))
    for topic in (source, out):
        Admin(spark, running).create(topic.name)
    tables = [topic.definition() for topic in (source, out)]
    server = QueryServer(tmp_path, "server", tables, 1, connector_jars)
    server.start()
    server.wait()
    try:
        create_counts = START.format(verb="CREATE", name="counts", out=out.name)
        server.ask(0, 0, create_counts + COUNTS.format(source=source.name))
        sent = dict.fromkeys("abc", 0)
        checkpoint = tmp_path / "checkpoints/counts/commits"
        for number in range(3):
            for _ in range(2):
                keys = random.choices("abc", k=10)
                for key in keys:
                    sent[key] += 1
                source.write([(key, "") for key in keys])
                eventually(lambda: last(out) == {key: n for key, n in sent.items() if n})
            if number == 1:  # the next run goes on from a state that is not empty
                before = len(list(checkpoint.glob("[0-9]*")))
                eventually(lambda before=before: len([*checkpoint.glob("[0-9]*")]) > before)
            server.kill()
            server.start()
            server.wait()
        source.write([("a", "")])
        sent["a"] += 1
        eventually(lambda: last(out) == sent)
    finally:
        server.close()
    assert_exact(out, sent)


def test_a_broker_is_killed(
    spark: SparkSession, running: Broker, make: Callable[[str], Topic]
) -> None:
    """The queries wait for it: none fails, and the lookups follow the new version after it."""
    source, people = make("sent_on"), make("people")
    counted, found = make("counted_on"), make("found")
    people.write([person(0, "before")])
    table = create(people, "REFRESH EVERY 200 MILLISECONDS")
    start = START.format(verb="START", name="counts", out=counted.name)
    spark.sql(start + COUNTS.format(source=source.name))
    spark.sql(
        START.format(verb="START", name="names", out=found.name)
        + f"SELECT string(s.key), name FROM STREAM {source.name} AS s "
        f"JOIN {table} ON id = int(string(s.key))"
    )
    sent: dict[str, int] = {}

    def send(*keys: str) -> None:
        for key in keys:
            sent[key] = sent.get(key, 0) + 1
        source.write([(key, "") for key in keys])

    def see(name: str) -> bool:
        send("0")
        return ("0", name) in found.records()

    send("1", "2", "1")
    eventually(lambda: see("before") and last(counted) == sent)
    running.kill()
    running.start()
    people.write([person(0, "after")])
    eventually(lambda: see("after"))
    send("1", "2", "3")
    eventually(lambda: last(counted) == sent)
    states = [(query.status, query.last_error) for query in streaming_queries(spark)]
    assert states == [("RUNNING", None)] * 2
    assert_exact(counted, sent)


def assert_exact(out: Topic, sent: dict[str, int]) -> None:
    """Asserts that each count of a key was reported, though perhaps more than once."""
    for key, total in sent.items():
        counts = [int(value or 0) for name, value in out.records() if name == key]
        assert (counts[0], max(counts)) == (1, total)
        # a run after a kill goes back to what was committed, and leaves nothing out
        assert all(after <= before + 1 for before, after in pairwise(counts)), counts


def last(out: Topic) -> dict[str | None, int]:
    """Returns the last count of each key."""
    return {key: int(value or 0) for key, value in out.records()}
