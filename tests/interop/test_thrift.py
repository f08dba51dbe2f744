"""PyHive, used as notebooks and dbt's `method: thrift` do."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from interop.hive import open_cursor
from interop.server import Server, running
from interop.shop import COGROUP, ROWS, SYNTAX_ERROR, TYPE_MISMATCH, VIEWS
from waiting import CONDITION_HANGS


def _open_shop(server: Server) -> None:
    """Creates the views, once for each server: CREATE OR REPLACE VIEW is not atomic."""
    with open_cursor(server) as cursor:
        for view in VIEWS:
            cursor.execute(view)


@pytest.fixture(scope="module")
def shop(thrift: Server) -> Server:
    _open_shop(thrift)
    return thrift


def _rows(cursor: Any, sql: str) -> list[tuple[object, ...]]:
    cursor.execute(sql)
    rows: list[tuple[object, ...]] = cursor.fetchall()
    return sorted(rows, key=str)


def _refusal(cursor: Any, sql: str) -> Any:
    """Returns the status with which the server refuses `sql`."""
    from pyhive.exc import OperationalError

    with pytest.raises(OperationalError) as refused:
        cursor.execute(sql)
    return refused.value.args[0].status


# Spark closes the class loader of `spark.jars` with the first session, and a class of ours that is
# not loaded by then is lost: hence another server, whose first session reads no clause.
def test_clauses_outlive_the_first_session(tmp_path: Path) -> None:
    with running("thrift", tmp_path) as server:
        _open_shop(server)
        with open_cursor(server) as first:
            assert _rows(first, COGROUP) == ROWS
        with open_cursor(server) as second:
            assert _rows(second, f"{COGROUP} HAVING EVERY BRANCH") == ROWS[:1]
            assert "EDDYLINE_COGROUP.SYNTAX_ERROR" in _refusal(second, SYNTAX_ERROR).errorMessage


def test_syntax_error_points_into_what_was_typed(shop: Server) -> None:
    with open_cursor(shop) as cursor:
        status = _refusal(cursor, SYNTAX_ERROR)
        assert status.sqlState == "42601"
        assert "[EDDYLINE_COGROUP.SYNTAX_ERROR]" in status.errorMessage
        assert "(line 2, position 10)" in status.errorMessage
        line, caret = status.errorMessage.split("==\n")[-1].splitlines()[:2]
        assert line.startswith("AGGREGATE, count(cart.item)")
        assert caret.rstrip() == " " * line.index(",") + "^"
        assert "__eddyline" not in status.errorMessage


def test_analysis_error_has_its_condition(shop: Server) -> None:
    with open_cursor(shop) as cursor:
        status = _refusal(cursor, TYPE_MISMATCH)
        assert status.sqlState == "42K09"
        assert "[EDDYLINE_COGROUP.KEY_TYPE_MISMATCH]" in status.errorMessage
        assert "INT in the branch purchases, but STRING in the branch cart" in status.errorMessage
        assert _rows(cursor, COGROUP) == ROWS, "the session must live on"


def test_a_stream_says_how_it_is_started(shop: Server) -> None:
    with open_cursor(shop) as cursor:
        cursor.execute("CREATE TABLE live (k INT) USING parquet")
        try:
            status = _refusal(cursor, "SELECT k FROM STREAM live EMIT ON UPDATE")
        finally:
            cursor.execute("DROP TABLE live")
        assert "[EDDYLINE_EMIT.STREAM_NOT_STARTED]" in status.errorMessage
        assert "START STREAMING QUERY name AS INSERT INTO" in status.errorMessage


def test_view_is_read_by_another_session(shop: Server) -> None:
    with open_cursor(shop) as author:
        author.execute(f"CREATE OR REPLACE VIEW joined AS {COGROUP}")
    with open_cursor(shop) as reader:
        assert _rows(reader, "SELECT * FROM joined") == ROWS
        assert _rows(reader, "SELECT spent FROM joined WHERE in_cart = 0") == [(9,)]


def test_clients_at_once_get_their_own_rows(shop: Server) -> None:
    clients, rounds = 4, 3
    together = threading.Barrier(clients, timeout=CONDITION_HANGS)

    def ask(number: int) -> list[list[tuple[object, ...]]]:
        clause = COGROUP.replace("sum(purchases.price)", f"sum(purchases.price * {number})")
        with open_cursor(shop) as cursor:
            together.wait()
            # another text each time, so that no cache answers
            return [_rows(cursor, f"{clause} /* {turn} */") for turn in range(rounds)]

    with ThreadPoolExecutor(clients) as pool:
        answers = list(pool.map(ask, range(1, clients + 1)))
    for number, answer in enumerate(answers, start=1):
        assert answer == [[(1, 2, 7 * number), (2, 1, None), (3, 0, 9 * number)]] * rounds
