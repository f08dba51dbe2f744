"""What the rules of sqlfluff find in the clauses, and what its fixes make of them."""

from __future__ import annotations

from typing import Any

import pytest
from fluff import DIALECT, fix, found, sample, words
from sqlfluff.core import FluffConfig, Linter

import eddyline_sqlfluff
from eddyline_sqlfluff import forms

CASES = [
    # aliases of branches, streams and relations with a claim
    ("AL01", "COGROUP t a BY k, u BY k AGGREGATE count(a.v) AS n", (1, 11)),
    ("AL01", "COGROUP t AS a BY k, u BY k AGGREGATE count(a.v) AS n", None),
    ("AL01", "SELECT k FROM STREAM t x ASSUME PARTITIONED BY (k)", (1, 24)),
    ("AL01", "SELECT k FROM STREAM t AS x ASSUME PARTITIONED BY (k)", None),
    ("AL02", "COGROUP t BY k, u BY k AGGREGATE count(t.v) n", (1, 45)),
    ("AL02", "COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n", None),
    ("AL03", "COGROUP t BY k, u BY k AGGREGATE count(t.v), max(u.v) AS m", (1, 34)),
    ("AL03", "COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n, max(u.v) AS m", None),
    ("AL04", "COGROUP t BY k, s.t BY k AGGREGATE count(t.v) AS n", (1, 19)),
    ("AL04", "COGROUP t BY k, s.t AS u BY k AGGREGATE count(t.v) AS n", None),
    ("AL05", "COGROUP t AS x BY k, u BY k AGGREGATE count(v) AS n", (1, 14)),
    ("AL05", "COGROUP t AS x BY x.k, u BY k AGGREGATE count(v) AS n", None),
    ("AL05", "COGROUP t AS x WHERE x.v > 1 BY k, u BY k AGGREGATE count(v) AS n", None),
    ("AL05", "COGROUP t AS x BY k, u BY k AGGREGATE count(x.*) AS n", None),
    ("AL05", "COGROUP t AS x BY k, u BY k AGGREGATE count(v) AS n HAVING max(x.v) > 1", None),
    ("AL05", "COGROUP t AS x BY k, t AS y BY k AGGREGATE count(v) AS n", None),
    ("AL05", "SELECT k FROM t AS x ASSUME PARTITIONED BY (k)", (1, 20)),
    ("AL05", "SELECT k FROM t AS x ASSUME PARTITIONED BY (x.k)", None),
    # without the alias EMIT would be one
    ("AL05", "SELECT a.k FROM a CROSS JOIN b AS x EMIT ON CHANGE", None),
    ("AL05", "SELECT a.k FROM a CROSS JOIN STREAM b x EMIT ON UPDATE", None),
    ("AL05", "SELECT a.k FROM a CROSS JOIN b AS x WHERE a.k > 1 EMIT ON CHANGE", (1, 35)),
    ("AL05", "SELECT a.k FROM a NATURAL JOIN b AS x EMIT ON CHANGE", (1, 37)),
    # it names the columns, and a branch of VALUES needs a name
    ("AL05", "COGROUP (VALUES (1)) AS h(k), u USING (k) AGGREGATE count(u.v) AS n", None),
    ("AL05", "COGROUP (VALUES (1)) AS h BY col1, u BY k AGGREGATE count(u.v) AS n", None),
    ("AL05", "SELECT k FROM t AS h(k)", None),
    ("AL08", "COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n, sum(t.v) AS n", (1, 63)),
    ("AL08", "COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n, sum(t.v) AS s", None),
    # the columns of a query
    ("AM04", "SELECT * FROM t EMIT ON UPDATE", (1, 8)),
    ("AM04", "SELECT * FROM (COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n) AS c", None),
    ("AM09", "COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n LIMIT 1", (1, 50)),
    ("AM09", "COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n ORDER BY n LIMIT 1", None),
    ("CV04", "COGROUP t BY k, u BY k AGGREGATE count(1) AS n", (1, 34)),
    ("CV04", "COGROUP t BY k, u BY k AGGREGATE count(*) AS n", None),
    ("CV07", "(COGROUP t BY k, u BY k AGGREGATE count(*) AS n)", (1, 1)),
    ("CV07", "(SELECT k FROM t LIMIT 3) ORDER BY k EMIT ON CHANGE", None),
    # references: a key needs no branch
    ("RF02", "COGROUP t BY k, u BY j AGGREGATE count(v) AS n", (1, 40)),
    ("RF02", "COGROUP t WHERE w > 1 BY k, u BY lower(j) AGGREGATE count(t.v) AS n", None),
    (
        "RF02",
        "COGROUP t BY k, u BY j AGGREGATE max(t.v) AS m HAVING k > 1 AND m > 1 ORDER BY k",
        None,
    ),
    ("RF02", "COGROUP t BY t.k, u BY u.j AGGREGATE max(t.v + k) AS m", None),
    ("RF02", "COGROUP t BY f(a) AS k, u BY f(b) AGGREGATE max(t.v + k) AS m", None),
    ("RF02", "COGROUP t, u USING (k) AGGREGATE max(t.v + k) AS m", None),
    ("RF03", "SELECT x.k, v FROM t AS x ASSUME PARTITIONED BY (k)", (1, 13)),
    ("RF03", "SELECT x.k, x.v FROM t AS x ASSUME PARTITIONED BY (k)", None),
    # words of the clauses are good names
    ("RF04", "SELECT 1 AS total, 2 AS partition FROM t EMIT ON UPDATE", (1, 25)),
    ("RF04", "SELECT id AS batch, 1 AS emit, 2 AS stale, 3 AS heartbeat FROM t AS rules", None),
    ("RF06", "COGROUP `t` BY k, u BY k AGGREGATE count(u.v) AS n", (1, 9)),
    ("RF06", "COGROUP `a b` BY k, u BY k AGGREGATE count(u.v) AS n", None),
    ("RF06", "COGROUP `partitioned` BY k, u BY k AGGREGATE count(u.v) AS n", None),
    # common table expressions and subqueries
    ("ST03", "WITH a AS (SELECT 1 AS k) COGROUP t BY k, u BY k AGGREGATE count(u.v) AS n", (1, 6)),
    ("ST03", "WITH a AS (SELECT 1 AS k) COGROUP a BY k, u BY k AGGREGATE count(u.v) AS n", None),
    ("ST03", "EXPLAIN CLAUSES WITH a AS (SELECT 1 AS k) SELECT 1 AS k", (1, 22)),
    ("ST03", "EXPLAIN CLAUSES WITH a AS (SELECT 1 AS k) TABLE a", None),
    ("ST05", "SELECT a.k FROM a CROSS JOIN (SELECT k FROM u) AS x EMIT ON CHANGE", None),
    ("ST05", "SELECT a.k FROM a CROSS JOIN (SELECT k FROM u) AS x EMIT EVERY 1 SECOND", (1, 30)),
    # the order of columns, which an INSERT and a COGROUP mean
    ("ST06", "CREATE VIEW w AS SELECT max(v) AS m, k FROM t GROUP BY k EMIT ON CHANGE", (1, 18)),
    ("ST06", "START STREAMING QUERY q AS INSERT INTO s SELECT max(v) AS m, k FROM t", None),
    (
        "ST06",
        "CREATE STREAMING QUERY q AS UPSERT INTO s KEY (k) SELECT max(v) AS m, k FROM t",
        None,
    ),
    ("ST06", "CREATE GLOBAL TABLE g AS SELECT max(v) AS m, k FROM t", None),
    ("ST06", "COGROUP t BY k, u BY k AGGREGATE count(t.v) AS n, k AS j", None),
    # words, names and blanks
    ("CP01", "SELECT k FROM t GROUP BY k emit ON CHANGE", (1, 28)),
    ("CP01", "SELECT k FROM t GROUP BY k EMIT ON CHANGE", None),
    ("CP02", "SELECT max(v) AS top FROM t EMIT ON CHANGE OF (Top)", (1, 48)),
    ("CP02", "SELECT max(v) AS top FROM t EMIT ON CHANGE OF (top)", None),
    ("CP02", "CREATE GLOBAL TABLE g TBLPROPERTIES (ownedBy = 'x') AS SELECT k FROM t", None),
    ("CP02", "SET spark.eddyline.globalTable.maxRows = 5", None),
    ("CP02", "RESET spark.eddyline.globalTable.maxRows", None),
    ("RF06", "CREATE TABLE t USING kafka OPTIONS ('startingOffsets' 'latest')", None),
    ("LT01", "SET spark.sql.streaming.checkpointLocation = /tmp/a-b", None),
    ("LT01", "SELECT k FROM t ASSUME PARTITIONED BY(k)", (1, 38)),
    ("LT01", "SELECT k FROM t ASSUME PARTITIONED BY (k)", None),
    ("LT01", "SELECT k FROM t EMIT ON CHANGE OF ( k ,j)", (1, 36)),
    ("LT01", "SELECT k FROM t EMIT ON CHANGE OF (k, j)", None),
    # in a layout of which the rule knows only SELECT
    ("LT09,LT10,CV03", "COGROUP t BY k, u BY k\nAGGREGATE -- all\n    count(*) AS n", None),
]


@pytest.mark.parametrize(("rules", "sql", "place"), CASES)
def test_a_rule_judges_a_clause(rules: str, sql: str, place: tuple[int, int] | None) -> None:
    places = [(line, position) for _, line, position in found(sql, rules)]
    assert places[:1] == ([place] if place else [])
    if not place:
        assert fix(sql, rules) == sql


def lint(sql: str, **rules: Any) -> list[tuple[str, int]]:
    """Returns the code and position of what is found in a line under a configuration."""
    core = {"dialect": DIALECT, "rules": ",".join(code for code in rules)}
    configured = {name: value for options in rules.values() for name, value in options.items()}
    linter = Linter(config=FluffConfig(configs={"core": core, "rules": configured}))
    violations = linter.lint_string(f"{sql}\n").violations
    return [(each.rule_code(), each.line_pos) for each in violations]


def test_a_branch_that_is_not_there_is_found_if_that_is_wanted() -> None:
    strict = {"RF01": {"references.from": {"force_enable": True}}}
    assert lint("COGROUP t AS x BY k, u BY k AGGREGATE count(y.v) AS n", **strict) == [("RF01", 45)]
    assert lint("COGROUP t AS x BY k, u BY k AGGREGATE count(x.v) AS n", **strict) == []


def test_noqa_silences_a_rule() -> None:
    sql = "SELECT k FROM t GROUP BY k emit on CHANGE"
    assert {code for code, _, _ in found(sql, "CP01")} == {"CP01"}
    assert found(f"{sql} -- noqa: CP01", "CP01") == []
    assert found("SELECT k FROM t EMIT ON CHNAGE -- noqa: PRS", "CP01") == []


# --- fixes


def test_words_of_the_clauses_keep_their_quotes() -> None:
    names = ", ".join(f"`{word.lower()}`" for word in (*forms.words(), "STREAM", "WATERMARK"))
    assert fix(f"SELECT {names} FROM t", "RF06") == f"SELECT {names} FROM t"
    assert fix("SELECT `k` FROM t", "RF06") == "SELECT k FROM t"


@pytest.mark.parametrize(
    ("typed", "fixed"),
    [
        (
            "COGROUP cart      BY customer_id,\n"
            "        purchases BY buyer\n"
            "AGGREGATE count(cart.item)     AS in_cart,\n"
            "          sum(purchases.price) AS spent\n"
            "HAVING EVERY BRANCH\n"
            "EMIT ON CHANGE",
            "COGROUP\n"
            "    cart BY customer_id,\n"
            "    purchases BY buyer\n"
            "AGGREGATE\n"
            "    count(cart.item) AS in_cart,\n"
            "    sum(purchases.price) AS spent\n"
            "HAVING EVERY BRANCH\n"
            "EMIT ON CHANGE",
        ),
        (
            "SELECT item, sum(pieces) AS pieces FROM STREAM deliveries "
            "WATERMARK at DELAY OF INTERVAL 10 SECONDS\n"
            "ASSUME PARTITIONED BY (item) INTO 4 PARTITIONS USING HASH SPARK "
            "ENFORCED ON VIOLATION REPARTITION\n"
            "GROUP BY item, warehouse, supplier, delivered_by, country, city "
            "EMIT ON CHANGE OF (pieces)",
            "SELECT\n"
            "    item,\n"
            "    sum(pieces) AS pieces\n"
            "FROM STREAM deliveries WATERMARK at DELAY OF INTERVAL 10 SECONDS\n"
            "ASSUME PARTITIONED BY (item)\n"
            "    INTO 4 PARTITIONS USING HASH SPARK ENFORCED ON VIOLATION REPARTITION\n"
            "GROUP BY item, warehouse, supplier, delivered_by, country, city\n"
            "EMIT ON CHANGE OF (pieces)",
        ),
        (
            "create global table g primary key(id)\n"
            "    refresh every 10 seconds\n"
            "as select id from t",
            "create global table g primary key (id)\nrefresh every 10 seconds\nas select id from t",
        ),
        (
            "SELECT a.k FROM t AS a INNER JOIN (SELECT k FROM u) AS b ASSUME PARTITIONED BY (k) "
            "ON a.k = b.k",
            "WITH b AS (SELECT k FROM u)\n"
            "\n"
            "SELECT a.k\n"
            "FROM t AS a\n"
            "INNER JOIN b ASSUME PARTITIONED BY (k) ON a.k = b.k",
        ),
        (
            "SELECT a.k FROM t AS a INNER JOIN (SELECT k FROM STREAM u) WATERMARK ts DELAY OF "
            "INTERVAL 1 DAY AS b ON a.k = b.k",
            "SELECT a.k\n"
            "FROM t AS a\n"
            "INNER JOIN\n"
            "    (SELECT k FROM STREAM u) WATERMARK ts DELAY OF INTERVAL 1 DAY AS b\n"
            "    ON a.k = b.k",
        ),
    ],
)
def test_a_fix_lays_out_the_clauses(typed: str, fixed: str) -> None:
    assert fix(typed) == fixed
    assert fix(fixed) == fixed


LAYOUT = "AL01,AL02,CP01,CP02,CP03,CP04,CP05,LT01,LT02,LT04,LT05,LT08,LT09,LT11,LT12,LT13,LT14"


def test_a_fix_changes_no_word() -> None:
    for sql in sample():
        fixed = fix(sql, LAYOUT)
        assert words(fixed) == words(sql), sql
        assert fix(fixed, LAYOUT) == fixed


def test_the_layout_of_other_dialects_is_theirs() -> None:
    layout = eddyline_sqlfluff.load_default_config()
    assert layout == {"layout": {"type": layout["layout"]["type"]}}
    own = set(layout["layout"]["type"])
    assert own == {"assume_clause", "conf_value", "emit_clause"}
    defaults = FluffConfig(overrides={"dialect": "ansi"}).get_section(["layout", "type"])
    assert own < defaults.keys()
