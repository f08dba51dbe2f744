"""Clauses, pages and servers that are killed, where HDFS is the default file system."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from faults.query_servers import QueryServer
from goldenfiles import read_golden
from pages import FOLDER, ROOT
from test_docs import run_page
from test_golden import GOLDEN, drawn, run_with
from waiting import eventually

from .hdfs import hdfs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# they write versions, verdicts, definitions and state
FILES = (
    "assume/hash_check.sql",
    "emit/positions.sql",
    "globaltable/joins.sql",
    "streamingquery/statements.sql",
)
PAGES = ("emit.md", "globaltable.md", "streamingquery.md")
DEATHS = 3

CREATE = (
    "CREATE STREAMING QUERY totals AS INSERT INTO totals WITH BATCH ID batch "
    "SELECT n % 3 AS k, count(*) AS c, sum(n) AS s FROM STREAM events GROUP BY 1 EMIT ON CHANGE"
)
LAST = "SELECT k, max_by(c, batch) AS c, max_by(s, batch) AS s FROM totals GROUP BY k ORDER BY k"
RECOMPUTED = "SELECT n % 3 AS k, count(*) AS c, sum(n) AS s FROM events GROUP BY 1 ORDER BY k"
# a micro-batch that ran again has written the same rows
DIFFERENT = "SELECT k, batch FROM totals GROUP BY k, batch HAVING count(DISTINCT c, s) > 1"


@pytest.fixture(scope="module")
def file_system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Yields the settings by which a path without a scheme is in HDFS."""
    with hdfs(tmp_path_factory.mktemp("hdfs")) as url:
        yield {"spark.hadoop.fs.defaultFS": url, "spark.sql.warehouse.dir": f"{url}/warehouse"}


@pytest.fixture(scope="module")
def settings(settings: dict[str, str], file_system: dict[str, str]) -> dict[str, str]:
    return settings | file_system


@pytest.mark.parametrize("name", FILES)
def test_golden(spark: SparkSession, name: str, tmp_path: Path) -> None:
    golden = read_golden(GOLDEN / name)
    run_with(spark, golden, drawn(golden), checkpoints=tmp_path)


@pytest.mark.usefixtures("newest_spark")
@pytest.mark.parametrize("page", PAGES)
def test_page(
    spark: SparkSession, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_page(spark, ROOT / "docs/sql" / page, {FOLDER: str(tmp_path)}, monkeypatch)


class Servers:
    """Two servers with the same definitions and tables."""

    def __init__(self, folder: Path, conf: dict[str, str]) -> None:
        tables = {"events": "n INT", "totals": "k INT, c BIGINT, s BIGINT, batch BIGINT"}
        first = [
            f"CREATE TABLE {name} ({columns}) USING json LOCATION '{folder}/{name}'"
            for name, columns in tables.items()
        ]
        self.all = [
            QueryServer(folder, f"server{i}", first, sessions=1, conf=conf) for i in range(2)
        ]
        self._numbers = count()
        for server in self.all:
            server.start()
        for server in self.all:
            server.wait()

    def rows(self, sql: str, server: QueryServer | None = None) -> list[dict[str, Any]]:
        """Returns the rows of a statement; no server is being killed."""
        answer = (server or self.all[0]).ask(next(self._numbers), 0, sql)
        assert answer is not None
        assert "rows" in answer, answer
        return list(answer["rows"])

    def create(self) -> bool:
        """Creates the query on the server that has the lease, if one has it."""
        for server in self.all:
            answer = server.ask(next(self._numbers), 0, CREATE)
            assert answer is not None
            if "rows" in answer:
                return True
            assert answer["error"].endswith(("NOT_OWNER", "LEASE_LOST")), answer
        return False

    def kill_owner(self) -> bool:
        """Kills the server that runs the query, and starts it again; False while none runs it."""
        for server in self.all:
            shown = self.rows("SHOW STREAMING QUERIES", server)
            if [row["status"] for row in shown] == ["RUNNING"]:
                server.kill()
                server.start()
                server.wait()
                return True
        return False

    def has_caught_up(self) -> bool:
        self.rows("REFRESH TABLE totals")  # the files of another application
        return self.rows(LAST) == self.rows(RECOMPUTED)


def test_servers_that_are_killed(file_system: dict[str, str], tmp_path: Path) -> None:
    """Each goes on where the other was: with its lease, definition, state and micro-batches."""
    servers = Servers(tmp_path, file_system)
    try:
        servers.rows("INSERT INTO events SELECT id FROM range(10)")
        eventually(servers.create)
        for death in range(1, DEATHS + 1):
            servers.rows(f"INSERT INTO events SELECT id FROM range({10 * death}, {10 * death + 9})")
            if death > 1:
                eventually(servers.has_caught_up)
            eventually(servers.kill_owner)
        eventually(servers.has_caught_up)
        assert servers.rows(DIFFERENT) == []
    finally:
        for server in servers.all:
            server.close()
