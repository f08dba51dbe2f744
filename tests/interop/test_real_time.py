"""Real-time mode by JDBC and Spark Connect: a query lives on when its client has gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from eddyline.session import settings
from interop.clients import Run, by_cursor, by_session
from interop.hive import open_cursor
from interop.server import Kind, Server, running
from kafka.broker import PARTITIONS, Broker
from kafka.conftest import broker, connector_jars  # noqa: F401 - fixtures
from waiting import eventually

TOPICS = ("placed", "paid", "open")
START = """
    START STREAMING QUERY amounts TRIGGER REAL TIME 10 MINUTES
    OPTIONS ('spark.sql.shuffle.partitions' '1') AS INSERT INTO open (key, value)
    COGROUP STREAM placed AS o BY string(o.key) AS id, STREAM paid AS p BY string(p.key)
    AGGREGATE string(count(o.*)) || ' ' || string(count(p.*)) AS value
    EMIT ON CHANGE
"""
FIRST = "-"  # the key of the record with which a topic begins
ANSWERS = f"SELECT string(key), string(value) FROM open WHERE string(key) <> '{FIRST}'"
SHOW = "SHOW STREAMING QUERIES"


def send(run: Run, topic: str, *keys: str) -> None:
    """Writes records to a topic, by a stream, since Spark's INSERT does not."""
    rows = ", ".join(f"('{key}')" for key in keys)
    run(f"INSERT INTO new_{topic} SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
    run(f"START STREAMING QUERY send_{topic}")
    run(f"AWAIT STREAMING QUERY send_{topic}")


@contextmanager
def client(kind: Kind, server: Server) -> Iterator[Run]:
    """Yields what runs a statement in a new session, which ends with the block."""
    if kind == "thrift":
        with open_cursor(server) as cursor:
            yield by_cursor(cursor)
        return
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{server.port}").create()
    try:
        yield by_session(spark)
    finally:
        spark.stop()


@pytest.mark.parametrize("kind", ["thrift", "connect"])
def test_a_query_answers_each_client(
    kind: Kind,
    broker: Broker,  # noqa: F811
    connector_jars: list[Path],  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if kind == "connect":
        monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    broker.ensure()
    path = os.pathsep.join(map(str, connector_jars))
    more = {
        **settings({"spark.driver.extraClassPath": path}),
        # the partitions of two topics and the shuffle, beside the queries of the clients
        "spark.master": f"local[{2 * PARTITIONS + 2}]",
        "spark.sql.streaming.checkpointLocation": str(tmp_path / "checkpoints"),
    }
    with running(kind, tmp_path, more) as server:
        with client(kind, server) as run:
            for topic in TOPICS:
                run(
                    f"CREATE TABLE {topic} USING kafka OPTIONS ('kafka.bootstrap.servers' "
                    f"'{broker.address}', subscribe '{topic}_{kind}', topic '{topic}_{kind}', "
                    "startingOffsets 'earliest')"
                )
                run(f"CREATE TABLE new_{topic} USING parquet AS SELECT '{FIRST}' AS k")
                run(
                    f"START STREAMING QUERY send_{topic} TRIGGER AVAILABLE NOW AS INSERT INTO "
                    f"{topic} (key, value) SELECT k, CAST(NULL AS STRING) FROM STREAM new_{topic}"
                )
                run(f"AWAIT STREAMING QUERY send_{topic}")
            run(START)
            send(run, "placed", "ada")
            eventually(lambda: run(ANSWERS) == [("ada", "1 0")])
        with client(kind, server) as run:
            send(run, "paid", "ada", "bob")
            eventually(lambda: {*run(ANSWERS)} == {("ada", "1 0"), ("ada", "1 1"), ("bob", "0 1")})
            assert ("amounts", "RUNNING") in [row[:2] for row in run(SHOW)]
            run("STOP STREAMING QUERY amounts")
            assert ("amounts", "STOPPED") in [row[:2] for row in run(SHOW)]
