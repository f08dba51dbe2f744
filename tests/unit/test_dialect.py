"""The dialect `eddyline` of sqlglot: what tools that are built on sqlglot see of the clauses."""

from __future__ import annotations

import pickle
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.diff import Keep, diff
from sqlglot.errors import ParseError, UnsupportedError
from sqlglot.lineage import lineage
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

from eddyline import lower_sql
from eddyline.dialect import Eddyline

SCHEMA = {
    "cart": {"customer_id": "int", "item": "string"},
    "purchases": {"buyer": "int", "price": "double"},
    "t": {"k": "int", "v": "double", "ts": "timestamp"},
    "sales": {"day": "date", "amount": "double"},
}
COGROUP = (
    "COGROUP cart WHERE item <> 'x' BY customer_id, purchases AS p BY buyer "
    "AGGREGATE count(cart.item) AS in_cart, sum(price) AS spent, first(cart.item) AS one, "
    "count(p.*) AS n HAVING EVERY BRANCH AND spent > 1 ORDER BY n EMIT ON CHANGE EXCEPT (one)"
)
EMIT = "SELECT k, max(v) AS top FROM t GROUP BY k EMIT EVERY 10 SECONDS ON CHANGE OF (top)"
ASSUME = (
    "SELECT day, sum(amount) AS s FROM sales ASSUME PARTITIONED BY (day) LAYOUT days "
    "INTO 8 PARTITIONS USING HASH SPARK ENFORCED ON VIOLATION FAIL "
    "JOIN t ASSUME PARTITIONED BY (k) NOT ENFORCED ON amount = v GROUP BY day"
)
GLOBAL = "CREATE OR REPLACE GLOBAL TABLE db.big PRIMARY KEY (k) REFRESH MANUAL AS SELECT * FROM t"
START = (
    "START STREAMING QUERY tops CHECKPOINT '/c' AS INSERT INTO sales "
    "SELECT k, v FROM STREAM t WATERMARK ts DELAY OF INTERVAL 1 HOUR AS x EMIT ON CHANGE KEY (k)"
)
OPTIONS = (
    "SELECT k, max(v) AS top, max(ts) AS ts FROM t GROUP BY k EMIT ON CHANGE OF (top) KEY (k) "
    "ORDER BY ts EXPIRE AFTER 1 DAY APPLY AS DELETE WHEN top IS NULL OR top < 0 "
    "TOLERANCE (top 0.5) HEARTBEAT 1 HOUR 30 MINUTES WITH CHANGE TYPE kind BEFORE"
)
STATEMENTS = [COGROUP, EMIT, ASSUME, GLOBAL, START, OPTIONS]
OPTION_WORDS = ("EXPIRE AFTER", "TOLERANCE (top 0.5)", "HEARTBEAT", "TYPE kind BEFORE")


def parse(sql: str) -> exp.Expr:
    return sqlglot.parse_one(sql, dialect="eddyline")


def tables(tree: exp.Expr) -> set[str]:
    return {table.name for table in tree.find_all(exp.Table)}


def test_the_entry_point_is_the_dialect() -> None:
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    entry_points = tomllib.loads(pyproject.read_text())["project"]["entry-points"]
    module, _, name = entry_points["sqlglot.dialects"]["eddyline"].partition(":")
    assert getattr(import_module(module), name) is Eddyline
    assert type(sqlglot.Dialect.get_or_raise("eddyline")) is Eddyline


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_tree_that_nobody_changed_is_printed_as_typed(sql: str) -> None:
    typed = sql.replace(" FROM", "\n  /* from where */ FROM").replace("AGG", " -- of what\n AGG")
    assert parse(typed).sql("eddyline") == typed
    copies = [parse(typed).copy(), pickle.loads(pickle.dumps(parse(typed)))]
    assert [tree.sql("eddyline") for tree in copies] == [typed, typed]
    assert sqlglot.transpile(f"{typed};\n{typed}", read="eddyline") == [typed, typed]


@pytest.mark.parametrize("sql", [EMIT, ASSUME, GLOBAL, START, OPTIONS])
def test_a_pretty_text_has_the_same_tree(sql: str) -> None:
    tree = parse(sql)
    assert parse(tree.sql("eddyline", pretty=True)) == tree
    assert parse(tree.sql("eddyline", identify=True)).sql("eddyline", pretty=True).count("`")


def test_a_pretty_text() -> None:
    sql = f"CREATE VIEW w AS {EMIT}"
    assert parse(sql).sql("eddyline", pretty=True).splitlines() == [
        "CREATE VIEW w AS",
        "SELECT",
        "  k,",
        "  MAX(v) AS top",
        "FROM t",
        "GROUP BY",
        "  k",
        "EMIT EVERY INTERVAL '10' SECONDS ON CHANGE OF (top)",
    ]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        (COGROUP, {"cart", "purchases"}),
        (EMIT, {"t"}),
        (ASSUME, {"sales", "t"}),
        (GLOBAL, {"big", "t"}),
        (START, {"sales", "t"}),
        ("EXPLAIN CLAUSES SELECT k FROM t ASSUME PARTITIONED BY (k)", {"t"}),
        ("EXPLAIN CLAUSES TABLE t", {"t"}),
        ("EXPLAIN CLAUSES UPSERT INTO u KEY (k) SELECT k FROM t EMIT ON CHANGE KEY (k)", {"t"}),
        ("CHECK ASSUMPTION ON db.t AS x PARTITIONED BY (k) LIMIT 5", {"t"}),
        ("CREATE GLOBAL TABLE big (k INT) USING csv OPTIONS (header true) MAX ROWS 9", {"big"}),
        ("SELECT * FROM (WITH c AS (SELECT k FROM t) SELECT k FROM c EMIT ON CHANGE)", {"c", "t"}),
        ("MERGE INTO t USING sales AS s ASSUME PARTITIONED BY (day) ON k = 1 "
         "WHEN MATCHED THEN DELETE", {"sales", "t"}),
    ],
)  # fmt: skip
def test_the_tables_of_a_statement(sql: str, names: set[str]) -> None:
    tree = parse(sql)
    assert tables(tree) == names
    for table in tree.find_all(exp.Table):
        table.set("this", exp.to_identifier(f"new_{table.name}"))
    changed = tree.sql("eddyline")
    assert all(f"new_{name}" in changed for name in names)
    assert tables(parse(changed)) == {f"new_{name}" for name in names}
    assert "__eddyline_" in lower_sql(changed)


def test_what_was_not_changed_stays() -> None:
    tree = parse(GLOBAL.replace("REFRESH", "/* seldom */  refresh"))
    tree.find(exp.Select).set("expressions", [exp.column("k")])
    assert "db.big PRIMARY KEY (k) /* seldom */  refresh MANUAL AS SELECT k" in tree.sql("eddyline")


@pytest.mark.parametrize("sql", STATEMENTS)
def test_qualify(sql: str) -> None:
    tree = qualify(parse(sql), schema=SCHEMA, dialect="eddyline", catalog="main", db="shop")
    text = tree.sql("eddyline")
    assert "`main`.`shop`.`" in text
    assert "__eddyline_" in lower_sql(text)
    assert text.count("EMIT ") == sql.count("EMIT ")
    assert text.count("ASSUME ") == sql.count("ASSUME ")
    assert all((option in text) == (option in sql) for option in OPTION_WORDS)
    assert parse(text).sql("eddyline", pretty=True) == tree.sql("eddyline", pretty=True)


def test_a_name_without_a_branch_finds_its_branch() -> None:
    tree = qualify(parse(COGROUP), schema=SCHEMA, dialect="eddyline")
    assert "SUM(`p`.`price`) AS `spent`" in tree.sql("eddyline")


def test_types() -> None:
    tree = annotate_types(qualify(parse(COGROUP), schema=SCHEMA, dialect="eddyline"), SCHEMA)
    types = {item.alias: item.type.sql("spark") for item in tree.selects if item.alias != "one"}
    assert types == {
        "customer_id": "INT", "in_cart": "BIGINT", "spent": "DOUBLE", "n": "BIGINT"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "column", "leaves"),
    [
        (COGROUP, "in_cart", {"cart.item"}),
        (COGROUP, "spent", {"p.price"}),
        (COGROUP, "one", {"cart.item", "cart.customer_id"}),
        (COGROUP, "customer_id", {"cart.customer_id", "p.buyer"}),
        (f"WITH w AS ({COGROUP}) SELECT spent / 2 AS half FROM w JOIN t ON k = n",
         "half", {"p.price"}),
        (EMIT, "top", {"t.v"}),
        (ASSUME, "s", {"sales.amount"}),
    ],
)  # fmt: skip
def test_lineage(sql: str, column: str, leaves: set[str]) -> None:
    root = lineage(column, sql, schema=SCHEMA, dialect="eddyline")
    assert {node.name for node in root.walk() if not node.downstream} == leaves


def test_scopes() -> None:
    scopes = traverse_scope(parse(f"WITH w AS ({COGROUP}) SELECT * FROM w"))
    assert [sorted(scope.sources) for scope in scopes] == [["cart"], ["cart", "p"], ["w"]]


def test_diff() -> None:
    changes = diff(parse(EMIT), parse(EMIT.replace("ON CHANGE OF (top)", "ON UPDATE")))
    changed = [change for change in changes if not isinstance(change, Keep)]
    assert changed
    assert not [change for change in diff(parse(EMIT), parse(EMIT)) if not isinstance(change, Keep)]


@pytest.mark.parametrize(
    ("sql", "plain"),
    [
        (EMIT, "SELECT k, MAX(v) AS top FROM t GROUP BY k"),
        ("SELECT k FROM t ASSUME PARTITIONED BY (k) WHERE k > 1", "SELECT k FROM t WHERE k > 1"),
        (
            "COGROUP a BY k, b BY j AGGREGATE sum(a.x) AS s, first(b.y) AS y, count(b.*) AS n",
            "SELECT COALESCE(a.k, b.j) AS k, SUM(a.x) AS s, "
            "FIRST(b.y) FILTER(WHERE NOT b.j IS NULL) AS y, "
            "COUNT(*) FILTER(WHERE NOT b.j IS NULL) AS n "
            "FROM a FULL JOIN b ON a.k = b.j AND a.k < b.j "
            "WHERE NOT COALESCE(a.k, b.j) IS NULL GROUP BY COALESCE(a.k, b.j)",
        ),
    ],
)
def test_plain_sql(sql: str, plain: str) -> None:
    assert sqlglot.transpile(sql, read="eddyline", write="spark") == [plain]


@pytest.mark.parametrize(
    ("sql", "clause"),
    [
        (GLOBAL, "CREATE GLOBAL TABLE"),
        (START, "START STREAMING QUERY"),
        ("EXPLAIN CLAUSES SELECT 1", "EXPLAIN CLAUSES"),
        ("CREATE GLOBAL TABLE big USING csv", "CREATE GLOBAL TABLE"),
        ("SELECT k FROM t EMIT ON CHANGE KEY (k)", "EMIT ON CHANGE … KEY"),
        ("SELECT k FROM t UNION SELECT 1 EMIT ON CHANGE KEY (k)", "EMIT ON CHANGE … KEY"),
        ("SELECT k FROM t EMIT ON CHANGE WITH CHANGE TYPE", "EMIT ON CHANGE … WITH CHANGE TYPE"),
        ("SELECT k FROM STREAM t EMIT ON UPDATE", "STREAM or WATERMARK"),
        ("SELECT k FROM (SELECT * FROM t) WATERMARK ts DELAY OF INTERVAL '1 minute' AS x",
         "STREAM or WATERMARK"),
        ("COGROUP a BY k, b BY k AGGREGATE first(x) AS x", "COGROUP with an aggregate of no"),
        ("COGROUP a BY session_window(t, '1 m'), b BY session_window(t, '1 m') "
         "AGGREGATE count(*) AS n", "COGROUP with session_window"),
        ("COGROUP a BY k, b BY k AGGREGATE max(struct(a.*)) AS a HAVING a IS NULL",
         "COGROUP with the star"),
        ("COGROUP a BY k, b BY k AGGREGATE sum(a.x) AS x ORDER BY max(struct(a.* EXCEPT (y)))",
         "COGROUP with the star"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("write", ["spark", "duckdb", "tsql"])
def test_what_has_no_plain_sql_is_refused_by_name(sql: str, clause: str, write: str) -> None:
    message = rf"\[EDDYLINE_DIALECT.NO_PLAIN_SQL\] .*{clause}.* SQLSTATE: 0A000"
    with pytest.raises(UnsupportedError, match=message):
        sqlglot.transpile(sql, read="eddyline", write=write)


def test_a_stream_is_no_table_of_that_name() -> None:
    tree = parse("SELECT s.k FROM STREAM t AS s, STREAM(db.u) JOIN stream ON true")
    assert tables(tree) == {"t", "u", "stream"}
    text = "SELECT s.k FROM STREAM t AS s, STREAM db.u, stream"
    changed = tree.transform(lambda node: None if isinstance(node, exp.Join) and node.args.get("on")
                             else node).sql("eddyline")  # fmt: skip
    assert changed.replace(" CROSS JOIN", ",").startswith(text.rpartition(",")[0])


@pytest.mark.parametrize(
    "sql",
    [
        "BEGIN\n  DECLARE x INT;\n  SELECT 1 EMIT ON CHANGE;\nEND",
        "l: BEGIN\n  DECLARE x INT;\n  SELECT 1 EMIT ON CHANGE;\nEND l",
        "EXPLAIN  EXTENDED SELECT k FROM t EMIT ON CHANGE",
        "EXPLAIN CLAUSES INSERT INTO u  SELECT k FROM t ASSUME PARTITIONED BY (k)",
        "EXPLAIN CLAUSES CREATE TABLE u AS  SELECT k FROM t ASSUME PARTITIONED BY (k)",
        "EXPLAIN CLAUSES MERGE INTO u  USING t ON u.k = t.k WHEN MATCHED THEN DELETE",
        "EXPLAIN CLAUSES STREAMING QUERY  tops",
        "DESCRIBE QUERY  SELECT k FROM t EMIT ON CHANGE",
        "COGROUP a BY k, b BY k AGGREGATE count(*) AS n |> SELECT n",
        "STOP STREAMING QUERY  tops",
        "DROP GLOBAL TABLE IF EXISTS big",
        "CHECK ASSUMPTION ON a, b PARTITIONED BY (k)",
        "SELECT * FROM __eddyline_explain_clauses(TABLE(SELECT k FROM t EMIT ON CHANGE))",
        "ELSE SELECT 1 EMIT ON CHANGE",
    ],
)
def test_what_sqlglot_has_no_tree_for_is_a_command(sql: str) -> None:
    tree = parse(sql)
    assert isinstance(tree, exp.Command)
    assert tree.sql("eddyline") == sql


def test_a_script_is_one_of_several_statements() -> None:
    sql = ["SELECT 1 EMIT ON CHANGE", "BEGIN SELECT 1 EMIT ON CHANGE; SELECT 2; END", "SELECT 3"]
    trees = sqlglot.parse("; ".join(sql), dialect="eddyline")
    assert [type(tree) for tree in trees] == [exp.Select, exp.Command, exp.Select]
    assert [tree.sql("eddyline") for tree in trees] == sql


def test_a_warning_shows_what_was_typed(caplog: pytest.LogCaptureFixture) -> None:
    parse("EXPLAIN FORMATTED COGROUP a BY k, b BY k AGGREGATE count(*) AS n")
    assert "EXPLAIN FORMATTED COGROUP" in caplog.text
    assert "__eddyline_" not in caplog.text


def test_the_comment_of_a_key_is_kept() -> None:
    tree = parse("COGROUP a BY k -- of a\n, b BY k -- of b\n AGGREGATE count(*) AS n")
    text = tree.sql("eddyline", identify=True)
    assert "of a" in text
    assert "of b" in text
    assert parse(text).sql("eddyline", identify=True) == text


def test_an_error_has_condition_and_place() -> None:
    with pytest.raises(ParseError) as caught:
        parse("SELECT 1;\nSELECT k FROM t EMIT ON\n  CHANGE OF k")
    (error,) = caught.value.errors
    assert error["description"].startswith("[EDDYLINE_EMIT.SYNTAX_ERROR] ")
    assert (error["line"], error["col"], error["highlight"]) == (3, 13, "k")
    with pytest.raises(ParseError) as caught:
        parse("SELECT k FROM t EMIT ON CHANGE OF (k); SELECT\n1 + (2 3)")
    (error,) = caught.value.errors
    assert (error["line"], error["col"], error["highlight"]) == (2, 8, "3")


def test_places_are_those_of_the_typed_text() -> None:
    sql = "COGROUP a BY k,\n b BY\n  j AGGREGATE sum(b.y)\n AS z EMIT ON CHANGE"
    places = {
        node.name: (node.meta["line"], sql[node.meta["start"] : node.meta["end"] + 1])
        for node in parse(sql).find_all(exp.Identifier)
        if "start" in node.meta
    }
    assert places["z"] == (4, "z")
    assert places["y"] == (3, "y")
    assert places["b"] in {(2, "b"), (3, "b")}
    assert all(text == name for name, (_, text) in places.items())


def test_sparks_window_is_a_function() -> None:
    sql = "SELECT window, max(v) AS top FROM t GROUP BY window(ts, '1 minute')"
    printed = parse(sql).sql("eddyline")
    assert printed == "SELECT window, MAX(v) AS top FROM t GROUP BY WINDOW(ts, '1 minute')"
    assert parse(f"{sql} EMIT ON WINDOW CLOSE").sql("spark") == printed


def test_a_mark_holds_no_literals() -> None:
    """A tool that replaces literals, such as one that makes a fingerprint, leaves clauses alone."""
    for sql in (ASSUME, GLOBAL, "SELECT 1 AS k FROM t EMIT ON CHANGE OF (k)"):
        tree = parse(sql)
        for literal in tree.find_all(exp.Literal):
            literal.replace(exp.Literal.string("?"))
        assert parse(tree.sql("eddyline", pretty=True)) == tree


@pytest.mark.parametrize(
    "relation",
    [
        "STREAM t WATERMARK ts DELAY OF INTERVAL 1 HOUR AS x",
        "(SELECT * FROM t) WATERMARK ts + INTERVAL 1 DAY DELAY OF INTERVAL '1 minute' AS x",
        "STREAM db.t AS x ASSUME PARTITIONED BY (x.k) INTO 3 PARTITIONS USING HASH SPARK",
        "STREAM t ASSUME PARTITIONED BY (k)",
        "stream ASSUME PARTITIONED BY (k)",
    ],
)
def test_relations_that_sqlglot_does_not_know(relation: str) -> None:
    tree = parse(f"SELECT k FROM {relation} JOIN u ON u.k = x.k WHERE v > 1")
    tree.find(exp.Where).set("this", exp.condition("w < 2"))
    text = tree.sql("eddyline")
    words = relation.replace("x.k)", "k)")
    assert text == f"SELECT k FROM {words} JOIN u ON u.k = x.k WHERE w < 2"
    assert parse(text) == tree


def test_lineage_through_a_view() -> None:
    """A view with a clause over a view with another, joined with a global table."""
    sources = {"customers": COGROUP, "tops": "SELECT k, top * 2 AS twice FROM raw",
               "raw": "SELECT k, max(v) AS top FROM t GROUP BY k EMIT ON CHANGE"}  # fmt: skip
    sql = (
        "SELECT c.spent + tops.twice AS total, g.name FROM customers AS c JOIN tops ON k = "
        "customer_id JOIN names AS g ON g.id = customer_id EMIT ON UPDATE"
    )
    schema = {**SCHEMA, "names": {"id": "int", "name": "string"}}
    for column, leaves in (("total", {"p.price", "t.v"}), ("name", {"g.name"})):
        root = lineage(column, sql, schema=schema, sources=sources, dialect="eddyline")
        assert {node.name for node in root.walk() if not node.downstream} == leaves
