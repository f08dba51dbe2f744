"""The plain SQL of a COGROUP in another engine, as it stands and after sqlglot's optimizer."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.optimizer import optimize

from eddyline.dialect import Eddyline

SCHEMA = {
    "cart": {"customer_id": "int", "item": "text", "price": "double"},
    "purchases": {"buyer": "int", "amount": "int"},
}
ROWS = {
    "cart": "(1, 'a', 1.5), (2, 'b', NULL), (1, 'c', 2.5), (3, NULL, 4.0), (NULL, 'n', 9.0)",
    "purchases": "(1, 10), (1, 20), (4, 30), (NULL, 40), (4, NULL)",
}
BRANCHES = "COGROUP cart BY customer_id, purchases BY buyer AGGREGATE"


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for table, columns in SCHEMA.items():
        typed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        connection.execute(f"CREATE TABLE {table} ({typed})")
        connection.execute(f"INSERT INTO {table} VALUES {ROWS[table]}")
    return connection


@pytest.mark.parametrize("optimized", [False, True])
@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (
            f"{BRANCHES} count(cart.item) AS items, sum(amount) AS spent, count(cart.*) AS carts",
            [(1, 2, 30, 2), (2, 1, None, 1), (3, 0, None, 1), (4, 0, 30, 0)],
        ),
        (
            f"{BRANCHES} sum(coalesce(purchases.amount, 1)) AS s, count(*) AS n, max(customer_id)",
            [(1, 30, 4, 1), (2, None, 1, 2), (3, None, 1, 3), (4, 31, 2, 4)],
        ),
        (f"{BRANCHES} count(*) AS n HAVING EVERY BRANCH", [(1, 4)]),
        (f"{BRANCHES} count(*) AS n HAVING AT LEAST 1 BRANCH AND n < 2", [(2, 1), (3, 1)]),
        (
            "COGROUP cart WHERE price > 2 BY customer_id % 2 AS odd, purchases BY buyer % 2 "
            "AGGREGATE count(cart.price) AS n, max(purchases.amount) AS most EMIT ON CHANGE",
            [(0, 0, 30), (1, 2, 20)],
        ),
        (
            "COGROUP cart BY coalesce(customer_id, 7) AS k, purchases BY buyer "
            "AGGREGATE count(cart.price) AS n, sum(amount) AS s",
            [(1, 2, 30), (2, 0, None), (3, 1, None), (4, 0, 30), (7, 1, None)],
        ),
        (
            "COGROUP (SELECT coalesce(customer_id, 7) AS k FROM cart) AS c BY k, purchases "
            "BY buyer AGGREGATE count(c.*) AS n, sum(amount) AS s",
            [(1, 2, 30), (2, 1, None), (3, 1, None), (4, 0, 30), (7, 1, None)],
        ),
        (
            "WITH c AS (SELECT coalesce(customer_id, 7) AS k FROM cart) COGROUP c BY k, purchases "
            "BY buyer AGGREGATE count(c.*) AS n, sum(amount) AS s",
            [(1, 2, 30), (2, 1, None), (3, 1, None), (4, 0, 30), (7, 1, None)],
        ),
        (
            f"{BRANCHES} count_if(cart.price > 2) AS n, collect_list(cart.item) AS items, "
            "size(collect_list(DISTINCT cart.item)) AS size, "
            "count_if(purchases.amount > 1) FILTER (WHERE purchases.amount < 25) AS few",
            [(1, 1, ["a", "c"], 2, 2), (2, 0, ["b"], 1, 0), (3, 1, [], 0, 0), (4, 0, [], 0, 0)],
        ),
        (
            f"{BRANCHES} count(*) AS n QUALIFY row_number() OVER (ORDER BY customer_id) = 1",
            [(1, 4)],
        ),
        (
            f"{BRANCHES} sum(amount) AS price, sum(amount) / 2 AS half "
            "HAVING price > 25 AND half < 16 QUALIFY row_number() OVER (ORDER BY price) < 3 "
            "ORDER BY price + 1, -customer_id",
            [(1, 30, 15), (4, 30, 15)],
        ),
    ],
)
def test_rows(
    engine: duckdb.DuckDBPyConnection, sql: str, rows: list[tuple[object, ...]], optimized: bool
) -> None:
    tree: exp.Expr = sqlglot.parse_one(sql, dialect=Eddyline)
    if optimized:
        tree = optimize(tree, schema=SCHEMA, dialect="eddyline")
    assert sorted(engine.execute(tree.sql("duckdb")).fetchall()) == rows


def test_plain_sql_of_postgres_names_no_aggregate_and_has_typed_lists() -> None:
    sql = f"{BRANCHES} sum(amount) AS spent, collect_list(item) AS items HAVING spent > 10"
    plain = sqlglot.parse_one(sql, dialect=Eddyline).sql("postgres")
    assert plain.endswith(" HAVING SUM(amount) > 10")
    assert "ARRAY[]" not in plain


@pytest.mark.parametrize(
    ("condition", "plain"),
    [
        ("n > 1", "n > 1"),
        ("count(cart.item) > 1", "COUNT(cart.item) > 1"),
        ("m > 1", "(COUNT(cart.item) + 2) > 1"),
    ],
)
def test_a_name_that_occurs_twice_is_for_no_aggregate(condition: str, plain: str) -> None:
    """Spark refuses it as ambiguous."""
    sql = f"{BRANCHES} count(cart.item) AS n, n + 2 AS m, count(amount) AS N HAVING {condition}"
    assert sqlglot.parse_one(sql, dialect=Eddyline).sql("spark").endswith(plain)


def test_an_order_by_an_expression_is_above_a_having() -> None:
    """Spark resolves it by the names of the result, and PostgreSQL by those of the input."""
    sql = f"{BRANCHES} count(cart.item) AS n HAVING EVERY BRANCH ORDER BY -customer_id LIMIT 3"
    plain = sqlglot.parse_one(sql, dialect=Eddyline).sql("spark")
    assert plain.startswith("SELECT * FROM (SELECT COALESCE(")
    assert plain.endswith(") AS cogroup ORDER BY -customer_id LIMIT 3")
