"""The dialect keeps what a name means: its quotes, and words of Spark's as names."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot.errors import ParseError, UnsupportedError

from eddyline import lower_sql


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k FROM t EMIT ON CHANGE WITH CHANGE TYPE `before`",
        "SELECT k FROM t EMIT ON CHANGE WITH CHANGE TYPE `before` BEFORE",
        "SELECT k FROM t ASSUME PARTITIONED BY (k) LAYOUT `into` INTO 8 PARTITIONS",
        "SELECT k FROM t ASSUME PARTITIONED BY (k) LAYOUT `left`",
    ],
)
def test_a_name_that_is_a_keyword_keeps_its_quotes(sql: str) -> None:
    printed = sqlglot.parse_one(sql, dialect="eddyline").sql("eddyline", pretty=True)
    assert lower_sql(" ".join(printed.split())) == lower_sql(sql)


def test_names_that_use_those_before_them_are_not_all_written_out() -> None:
    """The expression of the last one has more nodes than any memory holds."""
    names = ", ".join(f"n{i} / (n{i} + 1) AS n{i + 1}" for i in range(40))
    sql = f"COGROUP a BY k, b BY k AGGREGATE COUNT(a.x) AS n0, {names}"
    plain = sqlglot.parse_one(sql, dialect="eddyline").sql("spark")
    assert "n39 / (n39 + 1) AS n40 FROM" in plain


def test_a_name_of_too_long_an_expression_has_no_plain_sql() -> None:
    names = ", ".join(f"n{i} * n{i} AS n{i + 1}" for i in range(9))
    sql = f"COGROUP a BY k, b BY k AGGREGATE COUNT(a.x) AS n0, {names} HAVING"
    short = sqlglot.transpile(f"{sql} n3 > 1", read="eddyline", write="duckdb")[0]
    assert short.partition(" HAVING ")[2].count("COUNT(a.x)") == 8
    with pytest.raises(UnsupportedError, match="a name that stands for too long an expression"):
        sqlglot.transpile(f"{sql} n9 > 1", read="eddyline", write="duckdb")


@pytest.mark.parametrize("end", ["", " INTERVAL", ")", "; SELECT 1"])
def test_a_watermark_without_its_delay_is_refused(end: str) -> None:
    with pytest.raises(ParseError):
        sqlglot.parse(f"SELECT * FROM STREAM t WATERMARK ts DELAY OF{end}", dialect="eddyline")


@pytest.mark.parametrize(
    "follows",
    [
        "OFFSET 1",
        "WINDOW w AS (ORDER BY a)",
        "VERSION AS OF 1",
        "TIMESTAMP AS OF '1'",
        "LATERAL VIEW EXPLODE(x) e AS y",
        "NATURAL JOIN u",
        "SEMI JOIN u ON a",
        "ANTI JOIN u ON a",
    ],
)
def test_a_table_called_stream(follows: str) -> None:
    sql = f"SELECT * FROM stream {follows}"
    assert sqlglot.transpile(sql, read="eddyline", write="spark") == [sql]


@pytest.mark.parametrize("name", ["version AS v", "timestamp", "window WHERE x"])
def test_a_stream_of_a_table_that_is_called_as_a_keyword(name: str) -> None:
    sql = f"SELECT * FROM STREAM {name}"
    printed = sqlglot.parse_one(sql, dialect="eddyline").sql("eddyline", pretty=True)
    assert " ".join(printed.split()) == sql


@pytest.mark.parametrize(
    ("branch", "clause"),
    [
        ("(SELECT * FROM t) AS t ASSUME PARTITIONED BY (k)", "ASSUME PARTITIONED BY (k)"),
        ("(SELECT * FROM t EMIT ON UPDATE) AS t", "EMIT ON UPDATE"),
    ],
)
def test_a_branch_keeps_the_clauses_of_its_query(branch: str, clause: str) -> None:
    tree = sqlglot.parse_one(
        f"COGROUP {branch} BY k, b BY k AGGREGATE count(t.v) AS n", read="eddyline"
    )
    assert clause in tree.sql("eddyline", pretty=True)
