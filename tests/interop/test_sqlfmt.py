"""sqlfmt (shandy-sqlfmt), whose way with the clauses docs/tools.md describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from eddyline import lower_sql
from eddyline.errors import ClauseError
from eddyline.lowering.tokenizer import tokenize
from goldenfiles import read_golden

ROOT = Path(__file__).parents[2]


def formatted(sql: str) -> str:
    from sqlfmt.api import format_string
    from sqlfmt.mode import Mode

    result: str = format_string(sql, Mode())
    return result


def words(sql: str) -> list[str]:
    """Returns the words that Spark parses, but for their letter case."""
    text = lower_sql(sql)
    found = [text[token.start : token.end + 1].lower() for token in tokenize(text)]
    return [word for word in found if not word.startswith("x'")]


def test_golden_statements_say_the_same_or_are_refused() -> None:
    """It breaks pipes and names that begin with a digit, and nothing else."""
    from sqlfmt.exception import SqlfmtError

    same, refused = 0, 0
    for path in sorted((ROOT / "tests/golden").rglob("*.sql")):
        for block in read_golden(path).blocks:
            if block.kind.startswith("query error") or "|>" in block.sql or " 2nd" in block.sql:
                continue
            try:
                before = words(block.sql)
            except ClauseError:
                continue
            if lower_sql(block.sql) == block.sql:
                continue
            try:
                after = formatted(block.sql)
            except SqlfmtError:
                refused += 1
                continue
            assert words(after) == before, block.sql
            same += 1
    assert same > 450
    assert refused < 30


def test_the_words_of_clauses_become_lower_case() -> None:
    assert formatted("SELECT  k, max(v) AS Top FROM t GROUP BY k EMIT ON CHANGE OF (Top)") == (
        "select k, max(v) as top from t group by k emit on change of(top)\n"
    )


def test_a_comment_keeps_a_statement() -> None:
    sql = "-- fmt: off\nCOGROUP a BY k,\n        b BY k\nAGGREGATE sum(a.v) AS v\n-- fmt: on\n"
    assert formatted(sql) == sql


@pytest.mark.parametrize("sql", ["TABLE t EMIT ON UPDATE", "SHOW CREATE GLOBAL TABLE g"])
def test_what_it_refuses(sql: str) -> None:
    from sqlfmt.exception import SqlfmtError

    with pytest.raises(SqlfmtError, match="There was a problem formatting your query"):
        formatted(sql)


def test_a_pipe_is_broken() -> None:
    sql = "FROM t |> WHERE v > 5 EMIT ON CHANGE"
    assert formatted(sql) == "from t | > where v > 5 emit on change\n"
