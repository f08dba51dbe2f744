"""A server with a persistent query in real-time mode is killed in the middle of micro-batches."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from faults.query_servers import QueryServer
from kafka.admin import Admin
from kafka.broker import Broker
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

QUERY = """
    CREATE STREAMING QUERY counts TRIGGER REAL TIME 5 SECONDS
    OPTIONS ('spark.sql.shuffle.partitions' '1') AS INSERT INTO {out} (key, value)
    SELECT string(key), string(count(*)) FROM STREAM {source} GROUP BY string(key) EMIT ON CHANGE
"""


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
        server.ask(0, 0, QUERY.format(out=out.name, source=source.name))
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
    for key, total in sent.items():
        counts = [int(value or 0) for name, value in out.records() if name == key]
        assert (counts[0], max(counts)) == (1, total)
        # a run after a kill goes back to what was committed, and leaves nothing out
        assert all(after <= before + 1 for before, after in pairwise(counts)), counts


def last(out: Topic) -> dict[str | None, int]:
    """Returns the last count of each key."""
    return {key: int(value or 0) for key, value in out.records()}
