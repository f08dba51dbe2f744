"""`eddyline serve thrift` with its default catalog, Hive's metastore in an embedded Derby."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interop.served import Served, serving
from waiting import PROCESS_HANGS, eventually

CLIENTS, CANCELS = 8, 6
QUERIES = ("a", "b", "c")
STATEMENTS = 100
QUERY = """
CREATE STREAMING QUERY {0} CHECKPOINT '{1}/{0}' AS
INSERT INTO copy_{0} SELECT k FROM STREAM numbers
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving("thrift", tmp_path_factory.mktemp("catalog"), {}) as served:
        served.run(
            "CREATE TABLE numbers (k INT) USING parquet",
            *(f"CREATE TABLE copy_{name} (k INT) USING parquet" for name in QUERIES),
            "INSERT INTO numbers VALUES (1)",
        )
        yield served


@contextmanager
def cursor(served: Served) -> Iterator[Any]:
    from pyhive import hive

    connection = hive.connect("127.0.0.1", served.server.port, username="interop")
    with closing(connection), closing(connection.cursor()) as cursor:
        yield cursor


def test_cancelled_statements_hold_up_no_other(served: Served) -> None:
    """A cancel interrupts its thread, which may be in Derby just then."""
    assert "spark.hadoop.hive.metastore.uris" in served.errors(), "it is made for one client"

    def cancel(client: int) -> None:
        random = Random(client)
        for _ in range(CANCELS):
            with cursor(served) as cancelled:
                cancelled.execute("SELECT count(*) FROM numbers JOIN copy_a USING (k)", async_=True)
                time.sleep(random.random() * 0.1)  # any moment will do
                cancelled.cancel()

    with ThreadPoolExecutor(CLIENTS) as clients:
        running = [clients.submit(cancel, client) for client in range(CLIENTS)]
        for each in running:
            each.result(PROCESS_HANGS)
    assert served.run("SELECT count(*) AS n FROM numbers").endswith("n\n1\n")
    served.run("CREATE TABLE later (k INT) USING parquet", "DROP TABLE later")


def test_an_idle_query_writes_no_log(served: Served, tmp_path: Path) -> None:
    """Each poll would write several lines, some 75 times a second."""
    log = served.scratch / "server.log"

    def lines() -> Counter[str]:
        """Returns how many lines of each logger some statements have led to."""
        start = log.stat().st_size
        for _ in range(STATEMENTS):
            client.execute("SELECT count(*) FROM numbers")
            client.fetchall()
        written = log.read_bytes()[start:].decode("utf-8", "replace")
        return Counter(re.findall(r"^\S+ \S+ [A-Z]+ ([\w.$]+):", written, re.MULTILINE))

    def batches() -> list[Any]:
        client.execute("SHOW STREAMING QUERIES")
        return [batch for _, _, _, _, batch, *_ in client.fetchall()]

    with cursor(served) as client:
        before = lines()
        assert before["DAGScheduler"] >= STATEMENTS, before
        for name in QUERIES:
            client.execute(QUERY.format(name, tmp_path))
        eventually(lambda: batches() == [0] * len(QUERIES))
        more = {name for name, count in (lines() - before).items() if count >= STATEMENTS}
        for name in QUERIES:
            client.execute(f"DROP STREAMING QUERY {name} PURGE")
    assert not more, more
