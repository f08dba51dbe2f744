"""A Java program and hive-jdbc, the driver of BI tools and SQL editors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interop.hive import open_cursor
from interop.jdbc import ask
from interop.server import Server
from interop.shop import COGROUP, ROWS, SYNTAX_ERROR, TYPE_MISMATCH, VIEWS

SHOP = [list(row) for row in ROWS]
ORDERED = f"{COGROUP}\nORDER BY customer_id"
# It sets a property of the server's JVM and sleeps before each row, for two minutes. Spark's tasks
# look for a cancellation where they read rows of a shuffle, but not where they read those of a
# range. A statement that is cancelled between two stages may start the second one all the same, so
# two minutes are also the longest time for which it holds a core.
SLEEPING = """\
COGROUP (
    SELECT id FROM (SELECT /*+ REPARTITION(1) */ id FROM range(6000))
    WHERE java_method('java.lang.System', 'setProperty', '{0}', 'running') IS NOT NULL
    AND java_method('java.lang.Thread', 'sleep', 20L) IS NOT NULL
) AS a BY id, range(3) AS b BY id
AGGREGATE count(a.*) AS a, count(b.*) AS b"""
RUNNING = "SELECT java_method('java.lang.System', 'getProperty', '{0}')"


@pytest.fixture(scope="module")
def shop(thrift: Server) -> Server:
    with open_cursor(thrift) as cursor:
        for view in VIEWS:
            cursor.execute(view)
    return thrift


def test_cogroup(shop: Server, tmp_path: Path) -> None:
    answers = ask(
        shop,
        tmp_path,
        "run",
        ORDERED,
        f"CREATE OR REPLACE VIEW jdbc_joined AS {COGROUP}",
        "SELECT spent FROM jdbc_joined WHERE in_cart = 0",
        f"CREATE TABLE jdbc_copy USING parquet AS {COGROUP}",
        f"INSERT INTO jdbc_copy {COGROUP} HAVING EVERY BRANCH",
        "SELECT customer_id, count(*) FROM jdbc_copy GROUP BY ALL ORDER BY ALL",
        "DROP TABLE jdbc_copy",
    )
    assert answers == [SHOP, [], [[9]], [], [], [[1, 2], [2, 1], [3, 1]], []]


def test_global_table(shop: Server, tmp_path: Path) -> None:
    lookup = (
        "SELECT f.k, name FROM VALUES (1), (3) AS f(k) LEFT JOIN jdbc_names AS g ON f.k = g.k "
        "ORDER BY ALL"
    )
    answers = ask(
        shop,
        tmp_path,
        "each",
        "CREATE TABLE jdbc_names_source (k INT, name STRING) USING parquet",
        "INSERT INTO jdbc_names_source VALUES (1, 'one'), (2, 'two')",
        "CREATE GLOBAL TABLE jdbc_names PRIMARY KEY (k) REFRESH MANUAL "
        "AS SELECT * FROM jdbc_names_source",
        lookup,
        "INSERT INTO jdbc_names_source VALUES (3, 'three')",
        "REFRESH GLOBAL TABLE jdbc_names",
        lookup,
        "SHOW GLOBAL TABLES",
        "DROP GLOBAL TABLE jdbc_names",
    )
    _, _, created, before, _, refreshed, after, shown, dropped = answers
    assert (created[0][:2], created[0][3:]) == (["default", "jdbc_names"], [2, "OK"])
    assert before == [[1, "one"], [3, None]]
    assert refreshed[0][3] == 3
    assert after == [[1, "one"], [3, "three"]]
    assert ["default", "jdbc_names"] in [row[:2] for row in shown]
    assert dropped[0][4] == "DROPPED"


def test_assume(shop: Server, tmp_path: Path) -> None:
    query = "SELECT day, count(*) AS n FROM jdbc_days ASSUME PARTITIONED BY (day) GROUP BY day"
    *_, rows, explained, violations = ask(
        shop,
        tmp_path,
        "run",
        "CREATE TABLE jdbc_days USING parquet PARTITIONED BY (day) AS "
        "SELECT id AS item, id % 3 AS day FROM range(12)",
        f"{query} ORDER BY day",
        f"EXPLAIN CLAUSES {query}",
        "CHECK ASSUMPTION ON jdbc_days PARTITIONED BY (day)",
    )
    assert rows == [[0, 4], [1, 4], [2, 4]]
    assert [row[2] for row in explained] == ["USED", "SAVED"]
    assert violations == []


def test_emit_is_for_a_started_query(shop: Server, tmp_path: Path) -> None:
    *_, refused = ask(
        shop,
        tmp_path,
        "run",
        "CREATE TABLE jdbc_live (k INT) USING parquet",
        "SELECT k, count(*) FROM STREAM jdbc_live GROUP BY k EMIT ON CHANGE",
    )
    assert "[EDDYLINE_EMIT.STREAM_NOT_STARTED]" in refused["message"]
    assert refused["state"] == "0A000"


def test_streaming_query(shop: Server, tmp_path: Path) -> None:
    """A stream is started, shown, stopped, started again and dropped, each by another session."""
    start = (
        f"START STREAMING QUERY jdbc_stream CHECKPOINT '{tmp_path / 'checkpoint'}' "
        "AS INSERT INTO jdbc_out WITH BATCH ID batch "
        "SELECT k, max(v) FROM STREAM jdbc_in GROUP BY k EMIT ON CHANGE"
    )
    answers = ask(
        shop,
        tmp_path,
        "each",
        "CREATE TABLE jdbc_in (k INT, v INT) USING parquet",
        "CREATE TABLE jdbc_out (k INT, v INT, batch BIGINT) USING parquet",
        "INSERT INTO jdbc_in VALUES (1, 5), (2, 7)",
        start,
        start,
        "SHOW STREAMING QUERIES",
        "STOP STREAMING QUERY jdbc_stream",
        "START STREAMING QUERY jdbc_stream",
        "DROP STREAMING QUERY jdbc_stream",
        "SHOW STREAMING QUERIES",
    )
    started, again, shown, stopped, resumed, dropped, left = answers[3:]
    assert started[0][:2] == ["jdbc_stream", "RUNNING"]
    assert "[EDDYLINE_STREAMING_QUERY.ALREADY_EXISTS]" in again["message"]
    assert ["jdbc_stream", "RUNNING", "jdbc_out"] in [row[:3] for row in shown]
    assert [stopped[0][1], resumed[0][1], dropped[0][1]] == ["STOPPED", "RUNNING", "DROPPED"]
    assert "jdbc_stream" not in [row[0] for row in left]


def test_prepared_statement(shop: Server, tmp_path: Path) -> None:
    clause = (
        "COGROUP cart WHERE item <> ? BY customer_id, purchases WHERE price > ? BY buyer "
        "AGGREGATE count(cart.item) AS in_cart, sum(purchases.price) AS spent, ? AS typed "
        "HAVING AT LEAST 1 BRANCHES ORDER BY customer_id LIMIT ?"
    )
    answers = ask(shop, tmp_path, "prepare", clause, "ink|4|it's|3", "pad|0|AGGREGATE|2")
    assert answers == [
        [[1, 1, 5, "it's"], [2, 1, None, "it's"], [3, 0, 9, "it's"]],
        [[1, 2, 7, "AGGREGATE"], [3, 0, 9, "AGGREGATE"]],
    ]


def test_the_driver_has_no_batches(shop: Server, tmp_path: Path) -> None:
    supported, added, executed = ask(shop, tmp_path, "batch", COGROUP, COGROUP)
    assert supported is False
    assert added["type"] == executed["type"] == "SQLFeatureNotSupportedException"


def test_metadata_of_a_view(shop: Server, tmp_path: Path) -> None:
    view = f"CREATE OR REPLACE VIEW jdbc_described AS {COGROUP}"
    assert ask(shop, tmp_path, "run", view) == [[]]
    tables, columns = ask(shop, tmp_path, "describe", "jdbc_described")
    assert tables == [["jdbc_described", "VIEW"]]
    assert columns == [["customer_id", "INT"], ["in_cart", "BIGINT"], ["spent", "BIGINT"]]


def test_rows_come_in_portions(shop: Server, tmp_path: Path) -> None:
    clause = (
        "COGROUP range(500) AS a BY id, range(250, 750) AS b BY id "
        "AGGREGATE count(a.*) AS a, count(b.*) AS b ORDER BY id"
    )
    (rows,) = ask(shop, tmp_path, "fetch", "7", clause)
    assert rows == [[k, int(k < 500), int(k >= 250)] for k in range(750)]


def test_a_timeout_ends_a_statement(shop: Server, tmp_path: Path) -> None:
    sleeping = SLEEPING.format("eddyline.test.timeout")
    refused, rows = ask(shop, tmp_path, "timeout", "3", sleeping, ORDERED)
    assert refused["type"] == "SQLTimeoutException"
    assert rows == SHOP


def test_cancel_ends_a_statement(shop: Server, tmp_path: Path) -> None:
    name = "eddyline.test.cancel"
    words = (SLEEPING.format(name), RUNNING.format(name), ORDERED)
    refused, rows = ask(shop, tmp_path, "cancel", *words)
    assert refused["type"] == "SQLException"
    assert rows == SHOP


def test_errors(shop: Server, tmp_path: Path) -> None:
    syntax, analysis, rows = ask(shop, tmp_path, "run", SYNTAX_ERROR, TYPE_MISMATCH, ORDERED)
    assert syntax["state"] == "42601"
    assert "[EDDYLINE_COGROUP.SYNTAX_ERROR]" in syntax["message"]
    assert "(line 2, position 10)" in syntax["message"]
    assert _caret(syntax) == ","
    assert analysis["state"] == "42K09"
    assert "[EDDYLINE_COGROUP.KEY_TYPE_MISMATCH]" in analysis["message"]
    assert "__eddyline" not in syntax["message"] + analysis["message"]
    assert rows == SHOP, "the connection must live on"


def test_connections_at_once_get_their_own_rows(shop: Server, tmp_path: Path) -> None:
    clients, rounds = 8, 20
    sql = ORDERED.replace("sum(purchases.price)", "sum(purchases.price * {client} + {round})")
    answers = ask(shop, tmp_path, "crowd", str(clients), str(rounds), sql)
    assert answers == [[_paid(client, turn) for turn in range(1, 21)] for client in range(1, 9)]


def _paid(client: int, turn: int) -> list[list[int | None]]:
    return [[1, 2, 7 * client + 2 * turn], [2, 1, None], [3, 0, 9 * client + turn]]


def _caret(refused: Any) -> str:
    """Returns the character of the statement to which the caret points."""
    line, caret = refused["message"].split("==\n")[-1].splitlines()[:2]
    return str(line[caret.index("^")])
