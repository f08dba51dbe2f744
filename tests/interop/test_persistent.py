"""Persistent streaming queries of real servers that are killed and started again."""

from __future__ import annotations

import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from interop.hive import open_cursor
from interop.lasting import end, serving
from waiting import eventually

ROUNDS = 3
KEYS = 4


def rows(cursor: Any, sql: str) -> list[tuple[Any, ...]]:
    cursor.execute(sql)
    found: list[tuple[Any, ...]] = cursor.fetchall()
    return found


def batches(checkpoint: Path) -> int:
    """Returns how many micro-batches have begun."""
    return len(list((checkpoint / "offsets").glob("[0-9]*")))


def totals(cursor: Any) -> list[tuple[Any, ...]]:
    """Returns the last row of each key that the query has written."""
    last = "SELECT k, max_by(n, batch), max_by(total, batch) FROM totals GROUP BY k ORDER BY k"
    return rows(cursor, last)


def recomputed(cursor: Any) -> list[tuple[Any, ...]]:
    return rows(cursor, "SELECT k, count(*), sum(v) FROM events GROUP BY k ORDER BY k")


def write_and_wait(cursor: Any, checkpoint: Path, random: Random, *, begins: bool) -> None:
    """Inserts events, and waits for a random moment, or until a micro-batch begins."""
    before = batches(checkpoint)
    for _ in range(random.randint(1, 3)):
        values = [(random.randrange(KEYS), random.randrange(9)) for _ in range(5)]
        cursor.execute(f"INSERT INTO events VALUES {str(values)[1:-1]}")
    moment = random.choice(["at once", "in a micro-batch", "after it"])
    if begins or moment == "in a micro-batch":
        eventually(lambda: batches(checkpoint) > before)
    elif moment == "after it":
        eventually(lambda: totals(cursor) == recomputed(cursor))


@pytest.mark.parametrize("seed", [1])
def test_a_server_that_is_killed_at_any_moment(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    checkpoint = tmp_path / "checkpoint"
    with serving("thrift", tmp_path) as server:
        with open_cursor(server) as cursor:
            cursor.execute("CREATE TABLE events (k INT, v INT) USING parquet")
            cursor.execute("CREATE TABLE totals (k INT, n BIGINT, total BIGINT, batch BIGINT)")
            cursor.execute(
                f"CREATE STREAMING QUERY totals CHECKPOINT '{checkpoint}' AS "
                "INSERT INTO totals WITH BATCH ID batch "
                "SELECT k, count(*), sum(v) FROM STREAM events GROUP BY k EMIT ON CHANGE"
            )
        end(server, signal.SIGKILL)
    for round_ in range(ROUNDS):
        with serving("thrift", tmp_path) as server:
            with open_cursor(server) as cursor:
                write_and_wait(cursor, checkpoint, random, begins=round_ == 0)
            end(server, signal.SIGKILL)
    with serving("thrift", tmp_path) as server, open_cursor(server) as cursor:
        eventually(lambda: totals(cursor) == recomputed(cursor))
        shown = "SHOW STREAMING QUERIES"
        eventually(lambda: [row[:2] for row in rows(cursor, shown)] == [("totals", "RUNNING")])
        assert rows(cursor, "STOP STREAMING QUERY totals")[0][1] == "STOPPED"
        server_log = (tmp_path / "server.log").read_text("utf-8", "replace")
        assert "NOT_OWNER" not in server_log
