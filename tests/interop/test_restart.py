"""Servers that end and come back under clients of each kind.

The clients find the global table and the streaming query as they were.
"""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from interop.beeline import beeline
from interop.clients import Run, by_cursor, by_session
from interop.hive import open_cursor
from interop.jdbc import program, require_compiler
from interop.lasting import end, serving
from interop.launch import free_port, process
from interop.server import Kind, Server
from waiting import PROCESS_HANGS, eventually

ENDS = (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM)
EVENTS = 20  # in the life of each server
CREATE = (
    "CREATE TABLE events (id BIGINT) USING parquet",
    "CREATE TABLE copied (id BIGINT, name STRING, batch BIGINT) USING parquet",
    "CREATE TABLE source (k BIGINT, name STRING) USING parquet",
    "INSERT INTO source VALUES (0, 'even'), (1, 'odd')",
    "CREATE GLOBAL TABLE names PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM source",
    "CREATE STREAMING QUERY copied CHECKPOINT '{0}' AS INSERT INTO copied WITH BATCH ID batch "
    "SELECT id, name FROM STREAM events LEFT JOIN names ON id % 2 = names.k",
)
LOOKUP = (
    "SELECT f.k, name FROM VALUES (1), (2) AS f(k) LEFT JOIN names AS g ON f.k = g.k ORDER BY k"
)
FOUND = [(1, "odd"), (2, None)]
# what a kill interrupts is inserted again, with the same number
SHOW = "SHOW STREAMING QUERIES"
COPIED = """\
SELECT name, count(DISTINCT id) AS ids, count(DISTINCT id, batch) AS writes
FROM copied GROUP BY name ORDER BY name"""
# what a client of Connect says of a session that has gone with its server
GONE = ("INVALID_HANDLE.SESSION_CHANGED", "NO_ACTIVE_SESSION")


def lives(kind: Kind, scratch: Path) -> Generator[tuple[int, Server], None, None]:
    """Yields a server again and again, at one port; it ends by another signal each time."""
    port = free_port()
    for life, number in enumerate(ENDS):
        with serving(kind, scratch, port) as server:
            yield life, server
            end(server, number)


def use(run: Run, life: int, scratch: Path) -> None:
    """Checks what the servers before this one have left, and inserts more events."""
    if life:
        assert run(LOOKUP) == FOUND
        half = life * EVENTS // 2
        eventually(lambda: run(COPIED) == [("even", half, half), ("odd", half, half)])
        eventually(lambda: [row[:2] for row in run(SHOW)] == [("copied", "RUNNING")])
    else:
        for statement in CREATE:
            run(statement.format(scratch / "checkpoint"))
    run(f"INSERT INTO events SELECT id FROM range({life * EVENTS}, {(life + 1) * EVENTS})")


def test_thrift(tmp_path: Path) -> None:
    from sqlalchemy import NullPool, create_engine, text

    require_compiler()
    engine, java = None, None
    with ExitStack() as programs:
        for life, server in programs.enter_context(closing(lives("thrift", tmp_path))):
            with open_cursor(server) as cursor:
                use(by_cursor(cursor), life, tmp_path)
            url = f"//127.0.0.1:{server.port}/default"
            engine = engine or create_engine(f"hive:{url}", poolclass=NullPool)
            with engine.connect() as connection:
                assert list(map(tuple, connection.execute(text(LOOKUP)))) == FOUND
            printed = beeline(f"jdbc:hive2:{url}", tmp_path, "--outputformat=csv2", "-e", LOOKUP)
            assert printed.stdout.splitlines()[1:3] == ["1,odd", "2,NULL"], printed.stderr
            if java is not None:
                before, refused, after = _answers(*java)
                assert before == after == [list(row) for row in FOUND]
                # Hive's own if the connection was still there
                assert refused["type"] in ("SQLException", "HiveSQLException")
            if life + 1 < len(ENDS):
                java = programs.enter_context(_java(server, tmp_path / f"java{life}"))


def test_connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    with ExitStack() as sessions:
        spark = None
        for life, server in sessions.enter_context(closing(lives("connect", tmp_path))):
            if spark is not None:
                with pytest.raises(PySparkException) as refused:
                    spark.sql(LOOKUP).collect()
                assert refused.value.getCondition() in GONE
            spark = SparkSession.builder.remote(f"sc://127.0.0.1:{server.port}").create()
            spark.release_session_on_close = False  # the server ends before the client
            sessions.callback(spark.stop)
            use(by_session(spark), life, tmp_path)


@contextmanager
def _java(server: Server, scratch: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Runs a Java program that looks up rows until the server ends, and when it is back."""
    scratch.mkdir()
    printed = scratch / "output"
    command = program(server, "outlive", LOOKUP)
    with (
        printed.open("wb") as file,
        process(command, scratch, file.fileno(), file.fileno()) as started,
    ):
        eventually(lambda: started.poll() is not None or printed.read_text("utf-8"))
        yield started, printed


def _answers(started: subprocess.Popen[str], printed: Path) -> list[Any]:
    """Waits for the end of the Java program, and returns its answers."""
    assert started.wait(PROCESS_HANGS) == 0, printed.read_text("utf-8")
    return [json.loads(line) for line in printed.read_text("utf-8").splitlines()]
