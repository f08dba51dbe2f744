"""Lowering and linting take linear time: twice the text takes at most 2.5 times the calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from eddyline.formatting import format_sql
from eddyline.linting import lint_sql
from eddyline.sidecar import answer

SHAPES: dict[str, Callable[[int], str]] = {
    "EMIT in CTEs": lambda n: (
        f"WITH {', '.join(['c AS (SELECT 1 EMIT ON CHANGE)'] * n)} SELECT 1 EMIT ON CHANGE"
    ),
    "EMIT in CTEs of an INSERT": lambda n: (
        f"WITH {', '.join(['update AS (SELECT 1 EMIT ON CHANGE)'] * n)} INSERT INTO t SELECT 1"
    ),
    "EMIT in a UNION": lambda n: " UNION ".join(["(SELECT 1 EMIT ON CHANGE)"] * n),
    "EMIT nested": lambda n: "SELECT * FROM (" * n + "SELECT 1" + " EMIT ON CHANGE)" * n,
    "EMIT behind brackets": lambda n: f"INSERT INTO t {'(' * n}SELECT 1{')' * n} EMIT ON CHANGE",
    "EMIT in statements": lambda n: "SELECT 1 EMIT ON CHANGE;\n" * n,
    "EMIT in a script": lambda n: f"BEGIN {'IF x THEN SELECT 1 EMIT ON CHANGE; END IF; ' * n}END",
    "EMIT without a partner": lambda n: "SELECT 1 EMIT ON CHANGE)" * n,
    "EMIT that is wrong": lambda n: "(SELECT 1 EMIT ON NOTHING) UNION " * n,
    "a script of FOR": lambda n: f"{'FOR ' * n}SELECT 1 EMIT ON CHANGE",
    "a script of blocks": lambda n: "BEGIN " * n + "DROP GLOBAL TABLE x " * n,
    "emojis": lambda n: f"SELECT {chr(39)}{'🌊' * n}{chr(39)}{', 🌊' * n} EMIT ON CHANGE",
    "COGROUPs": lambda n: " UNION ".join(["COGROUP a BY k, b BY k AGGREGATE count(*)"] * n),
    "COGROUP nested": lambda n: (
        "COGROUP (" * n + "a" + ") BY k, b BY k AGGREGATE count(*) AS k" * n
    ),
    "ASSUMEs": lambda n: f"SELECT 1 FROM {', '.join(['a ASSUME PARTITIONED BY (k)'] * n)}",
    "ASSUME joined": lambda n: f"SELECT 1 FROM a{' JOIN b ASSUME PARTITIONED BY (k) ON x' * n}",
    "ASSUME nested": lambda n: "SELECT 1 FROM (" * n + "a" + ") ASSUME PARTITIONED BY (k)" * n,
    "ASSUME without a relation": lambda n: f"SELECT 1 FROM {'a ASSUME PARTITIONED BY (k) ' * n}",
    "calls of Jinja": lambda n: "{{ a }}\n" * n + "SELECT 1 EMIT ON CHANGE",
    "ASSUME without keys": lambda n: "ASSUME PARTITIONED BY " * n,
    "comments with hints": lambda n: f"SELECT 1 {'/* /*+ */ ' * n}EMIT ON CHANGE",
    "statements": lambda n: "START STREAMING QUERY q AS INSERT INTO t SELECT 1;\n" * n,
}


def _calls(text: str, work: Callable[[str], object] = answer) -> int:
    """Returns the number of functions that are called to answer, including those in C."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_text_is_twice_the_work(shape: str) -> None:
    few, many = (_calls(SHAPES[shape](n)) for n in (400, 800))
    assert many < 2.5 * few


@pytest.mark.parametrize(
    "shape", ["EMIT in statements", "COGROUPs", "ASSUMEs", "statements", "calls of Jinja"]
)
def test_twice_the_text_is_twice_the_work_for_the_linter(shape: str) -> None:
    few, many = (_calls(SHAPES[shape](n), lint_sql) for n in (400, 800))
    assert many < 2.5 * few


NESTED = {
    "subqueries": ("a FROM (SELECT ", "1", ") AS t"),
    "CASE": ("CASE WHEN a = 1 AND b THEN c ELSE (", "0", ") END"),
    "CASE in CASE": ("CASE WHEN a = 1 AND b THEN c ELSE ", "0", " END"),
    "calls": ("f(a, ", "1", ")"),
    "conditions": ("(a OR b AND ", "c", ")"),
    "set operations": ("1 UNION (SELECT ", "1", ")"),
}


@pytest.mark.parametrize("shape", NESTED)
def test_twice_the_depth_is_twice_the_work_for_the_formatter(shape: str) -> None:
    before, inside, after = NESTED[shape]
    few, many = (_calls(f"SELECT {before * n}{inside}{after * n}", format_sql) for n in (60, 120))
    assert many < 2.5 * few


@pytest.mark.parametrize("shape", SHAPES)
def test_no_depth_is_too_deep(shape: str) -> None:
    assert answer(SHAPES[shape](3000))["kind"] in ("lowered", "refused")


@pytest.mark.parametrize("unclosed", ["/* ", "\\'", '\\"'])
def test_what_is_not_closed_is_read_once(unclosed: str) -> None:
    """A regular expression that begins again at each of them takes minutes."""
    assert answer("SELECT 1 EMIT ON CHANGE -- \\\n\n" + unclosed * 200_001)["kind"] == "unchanged"
