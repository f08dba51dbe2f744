"""SQLAlchemy with the dialect of PyHive, as notebooks and BI tools in Python use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interop.server import Server
from interop.shop import COGROUP, ROWS, SYNTAX_ERROR, TYPE_MISMATCH, VIEWS


@pytest.fixture(scope="module")
def engine(thrift: Server) -> Iterator[Any]:
    from sqlalchemy import create_engine, text

    engine = create_engine(f"hive://interop@127.0.0.1:{thrift.port}/default")
    with engine.connect() as connection:
        for view in VIEWS:
            connection.execute(text(view))
        connection.execute(text(f"CREATE OR REPLACE VIEW alchemy_joined AS {COGROUP}"))
    yield engine
    engine.dispose()


@pytest.fixture
def connection(engine: Any) -> Iterator[Any]:
    with engine.connect() as connection:
        yield connection


def _rows(connection: Any, sql: str, **parameters: object) -> list[tuple[object, ...]]:
    """Returns the rows of a statement; DDL has none."""
    from sqlalchemy import text

    found = connection.execute(text(sql), parameters)
    return sorted(map(tuple, found), key=str) if found.returns_rows else []


def _refusal(connection: Any, sql: str) -> Any:
    """Returns the status with which the server refuses `sql`."""
    from sqlalchemy.exc import OperationalError

    with pytest.raises(OperationalError) as refused:
        _rows(connection, sql)
    return refused.value.orig.args[0].status


def test_cogroup(connection: Any) -> None:
    assert _rows(connection, COGROUP) == ROWS
    assert _rows(connection, "SELECT spent FROM alchemy_joined WHERE in_cart = 0") == [(9,)]


def test_global_table(connection: Any) -> None:
    _rows(connection, "CREATE TABLE alchemy_source (k INT, name STRING) USING parquet")
    _rows(connection, "INSERT INTO alchemy_source VALUES (1, 'one'), (2, 'two')")
    ((*_, count, status),) = _rows(
        connection,
        "CREATE GLOBAL TABLE alchemy_names PRIMARY KEY (k) REFRESH MANUAL "
        "AS SELECT * FROM alchemy_source",
    )
    assert (count, status) == (2, "OK")
    found = _rows(
        connection,
        "SELECT f.k, name FROM VALUES (:known), (3) AS f(k) "
        "LEFT JOIN alchemy_names AS g ON f.k = g.k",
        known=1,
    )
    assert found == [(1, "one"), (3, None)]
    assert _rows(connection, "DROP GLOBAL TABLE alchemy_names")[0][4] == "DROPPED"


def test_assume(connection: Any) -> None:
    query = "SELECT day, count(*) FROM alchemy_days ASSUME PARTITIONED BY (day) GROUP BY day"
    _rows(
        connection,
        "CREATE TABLE alchemy_days USING parquet PARTITIONED BY (day) AS "
        "SELECT id AS item, id % 3 AS day FROM range(12)",
    )
    assert _rows(connection, query) == [(0, 4), (1, 4), (2, 4)]
    explained = _rows(connection, f"EXPLAIN CLAUSES {query}")
    assert [row[2] for row in explained] == ["USED", "SAVED"]


def test_emit_and_streaming_query(connection: Any, tmp_path: Path) -> None:
    query = "SELECT k, max(v) FROM STREAM alchemy_in GROUP BY k EMIT ON CHANGE"
    _rows(connection, "CREATE TABLE alchemy_in (k INT, v INT) USING parquet")
    _rows(connection, "CREATE TABLE alchemy_out (k INT, v INT, batch BIGINT) USING parquet")
    status = _refusal(connection, query)
    assert status.sqlState == "0A000"
    assert "[EDDYLINE_EMIT.STREAM_NOT_STARTED]" in status.errorMessage
    ((name, running, *_),) = _rows(
        connection,
        f"START STREAMING QUERY alchemy CHECKPOINT '{tmp_path}' "
        f"AS INSERT INTO alchemy_out WITH BATCH ID batch {query}",
    )
    assert (name, running) == ("alchemy", "RUNNING")
    shown = _rows(connection, "SHOW STREAMING QUERIES")
    assert ("alchemy", "RUNNING") in [tuple(row[:2]) for row in shown]
    assert _rows(connection, "DROP STREAMING QUERY alchemy")[0][1] == "DROPPED"


def test_bound_parameters(connection: Any) -> None:
    clause = (
        "COGROUP cart WHERE item NOT IN (:item, 'it''s') BY customer_id, "
        "purchases WHERE price > :least BY buyer "
        "AGGREGATE count(cart.item) AS in_cart, sum(purchases.price) AS spent, :label AS label "
        "HAVING AT LEAST :branches BRANCHES"
    )
    bound = {"item": "ink", "least": 4, "label": "it's 100 %", "branches": 2}
    assert _rows(connection, clause, **bound) == [(1, 1, 5, "it's 100 %")]


def test_a_percent_sign_is_not_a_parameter(connection: Any) -> None:
    clause = COGROUP.replace("BY customer_id", "WHERE item LIKE 'p%' BY customer_id")
    assert _rows(connection, clause) == [(1, 1, 7), (2, 1, None), (3, 0, 9)]


def test_reflection_of_a_view(engine: Any) -> None:
    from sqlalchemy import MetaData, Table, func, inspect, select

    assert inspect(engine).has_table("alchemy_joined")
    columns = inspect(engine).get_columns("alchemy_joined")
    assert [column["name"] for column in columns] == ["customer_id", "in_cart", "spent"]
    view = Table("alchemy_joined", MetaData(), autoload_with=engine)
    spent = select(func.sum(view.c.spent)).where(view.c.customer_id > 1)
    with engine.connect() as connection:
        assert connection.execute(spent).scalar_one() == 9


def test_errors(connection: Any) -> None:
    syntax = _refusal(connection, SYNTAX_ERROR)
    assert syntax.sqlState == "42601"
    assert "[EDDYLINE_COGROUP.SYNTAX_ERROR]" in syntax.errorMessage
    assert "(line 2, position 10)" in syntax.errorMessage
    analysis = _refusal(connection, TYPE_MISMATCH)
    assert analysis.sqlState == "42K09"
    assert "[EDDYLINE_COGROUP.KEY_TYPE_MISMATCH]" in analysis.errorMessage
    assert _rows(connection, COGROUP) == ROWS, "the connection must live on"
