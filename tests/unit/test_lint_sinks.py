"""`eddyline lint`: which rows of a streaming query come again, and which keys are of one type."""

from __future__ import annotations

import pytest

from eddyline.linting import lint_sql

INSERT = "START STREAMING QUERY q AS INSERT INTO s "
UPSERT = "START STREAMING QUERY q AS UPSERT INTO s KEY (k) "
COGROUP = "COGROUP a BY k, b BY k AGGREGATE sum(a.v) AS v "
DISTINCT = "(SELECT DISTINCT k FROM d)"
GROUPED = "(SELECT k, sum(v) AS v FROM {} GROUP BY k HAVING sum(v) > 1)"


def rules(sql: str) -> list[str]:
    return [found.rule for found in lint_sql(sql)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"SELECT k FROM STREAM t JOIN {DISTINCT} USING (k)", []),
        (f"WITH x AS {DISTINCT} SELECT k FROM STREAM t JOIN x USING (k)", []),
        (f"SELECT k FROM STREAM t WHERE k IN {DISTINCT}", []),
        ("SELECT k FROM STREAM t WHERE k IS DISTINCT FROM v", []),
        (f"SELECT k FROM t JOIN {DISTINCT} USING (k)", []),
        (f"SELECT k FROM t WHERE k IN {DISTINCT}", []),
        (f"SELECT k FROM {DISTINCT}", ["EL01"]),
        (f"SELECT k FROM ({DISTINCT})", ["EL01"]),
        (f"WITH x AS {DISTINCT} SELECT k FROM x", ["EL01"]),
        ("SELECT k FROM d JOIN (SELECT DISTINCT k FROM STREAM `t`) USING (k)", ["EL01"]),
        (f"(SELECT DISTINCT t.k FROM STREAM t JOIN {DISTINCT} USING (k))", ["EL01"]),
    ],
)
def test_rows_come_again_if_the_groups_are_of_a_stream(query: str, expected: list[str]) -> None:
    assert rules(f"{INSERT}{query} EMIT EVERY 1 MINUTE") == expected


@pytest.mark.parametrize(
    ("table", "sink", "expected"),
    [
        ("s (k INT) USING `kafka`", "s", []),
        ("spark_catalog.default.s (k INT) USING kafka", "S", []),
        ("IF NOT EXISTS s (k INT) USING Kafka", "spark_catalog.default.s", []),
        ("a.s (k INT) USING kafka", "b.s", ["EL01"]),
        ("s (k INT) USING `kafka.x`", "s", ["EL01"]),
        ("s (k INT) USING kafka.x", "s", ["EL01"]),
    ],
)
def test_a_topic_keeps_each_emission(table: str, sink: str, expected: list[str]) -> None:
    query = f"{INSERT.replace('INTO s', f'INTO {sink}')}SELECT k FROM t EMIT ON CHANGE"
    assert rules(f"CREATE TABLE {table}; {query}") == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"{COGROUP}HAVING v > 3 EMIT ON WINDOW CLOSE", []),
        (f"{COGROUP}HAVING EVERY BRANCH EMIT ON CHANGE", []),
        (f"{COGROUP}HAVING AT LEAST 2 BRANCHES EMIT ON CHANGE", []),
        (f"{COGROUP}HAVING EVERY BRANCH AND v > 3 EMIT ON CHANGE", ["EL08"]),
        (f"{COGROUP}HAVING AT LEAST 2 BRANCHES AND v > 3 EMIT ON CHANGE", ["EL08"]),
        (f"{COGROUP}HAVING every > 3 EMIT ON CHANGE", ["EL08"]),
        ("SELECT k, having FROM STREAM t EMIT ON CHANGE KEY (k)", []),
        (f"SELECT k FROM STREAM t JOIN {GROUPED.format('d')} USING (k) EMIT ON UPDATE", []),
        (f"SELECT k FROM {GROUPED.format('STREAM t')} EMIT ON UPDATE", ["EL08"]),
    ],
)
def test_a_row_that_having_may_let_go_is_to_be_deleted(query: str, expected: list[str]) -> None:
    assert rules(UPSERT + query) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("1.5", "CAST(x AS DECIMAL(2,1))", []),
        (".5", "1.", []),
        ("1.5", "CAST(x AS DOUBLE)", ["EL04"]),
        ("1.5e0", "CAST(x AS DOUBLE)", []),
        ("1.5e0", "CAST(x AS DECIMAL(2,1))", ["EL04"]),
        ("1.5D", "CAST(x AS DECIMAL(2,1))", ["EL04"]),
        ("1.5BD", "CAST(x AS DECIMAL(2,1))", []),
        ("'1.5'", "CAST(x AS STRING)", []),
    ],
)
def test_a_literal_with_a_point_is_a_decimal(one: str, other: str, expected: list[str]) -> None:
    assert rules(f"COGROUP a BY {one}, b BY {other} AGGREGATE sum(a.v)") == expected
