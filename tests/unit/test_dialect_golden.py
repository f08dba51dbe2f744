"""Every golden statement by sqlglot's dialect, which reads what the lowering reads."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError, UnsupportedError

from eddyline import ClauseError, lower_sql
from eddyline.dialect import Eddyline
from eddyline.dialect.marks import COGROUP, marks, refusal
from goldenfiles import Block, read_golden

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = sorted(GOLDEN.rglob("*.sql"))


def statements(path: Path) -> list[tuple[Block, str]]:
    """Returns the SQL of a golden file, also that to which rows are compared."""
    blocks = read_golden(path).blocks
    equal = [(block, block.expected) for block in blocks if block.kind == "query equals"]
    return [*((block, block.sql) for block in blocks if block.sql), *equal]


def clause_error(sql: str) -> ClauseError | None:
    try:
        lower_sql(sql)
    except ClauseError as error:
        return error
    return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_statements(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for block, sql in statements(path):
        place = f"{path}:{block.line}"
        error = clause_error(sql)
        if error is not None:
            check_refused(sql, error, place)
        elif lower_sql(sql) == sql:
            check_plain(sql, place)
        else:
            check_clause(block, sql, place)
    assert "Traceback" not in caplog.text


def check_refused(sql: str, error: ClauseError, place: str) -> None:
    """The plug-in refuses what the lowering refuses, at the same characters."""
    with pytest.raises(ParseError) as caught:
        sqlglot.parse(sql, dialect="eddyline")
    found = caught.value.errors[0]
    assert found["description"] == error.args[0], place
    stop = max(error.stop, error.start)
    assert found["highlight"] == sql[error.start : stop], place
    last = max(error.start, stop - 1)
    assert found["line"] == sql.count("\n", 0, last) + 1, place
    assert found["col"] == stop - (sql.rfind("\n", 0, last) + 1), place


def check_plain(sql: str, place: str) -> None:
    """What has no clause is read as sqlglot's Spark dialect reads it, or better."""
    ours, sparks = printed(sql, "eddyline"), printed(sql, "spark")
    if sparks is not None:
        assert ours is not None, place
        assert ours == sparks or "STREAM " in sql.upper(), place


def printed(sql: str, dialect: str) -> list[str] | None:
    """Returns the statements of a text as a dialect prints them; None if it refuses the text."""
    try:
        trees = sqlglot.parse(sql, dialect=dialect)
    except SqlglotError:
        return None
    return [tree.sql(dialect) for tree in trees if tree is not None]


def check_clause(block: Block, sql: str, place: str) -> None:
    """A clause comes back as typed, and from a changed tree with the same meaning."""
    trees = parsed(sql)
    if not trees:
        assert block.kind == "query error", place  # Spark refuses it too
        return
    typed = [tree.sql("eddyline") for tree in trees]
    assert all(text in sql for text in typed), place
    for tree, text in zip(trees, typed, strict=True):
        if isinstance(tree, (exp.Command, exp.Semicolon)):
            continue
        if any(found.always for node in tree.walk() if (found := refusal(node))):
            with pytest.raises(UnsupportedError, match="COGROUP with"):
                tree.sql("eddyline", pretty=True)
            continue
        printed = tree.sql("eddyline", pretty=True)
        again = sqlglot.parse_one(printed, dialect="eddyline")
        assert again.sql("eddyline", pretty=True) == printed, place
        if not any(call.name == COGROUP for node in tree.walk() for call in marks(node)):
            assert arguments(printed) == arguments(text), place


def arguments(sql: str) -> list[str]:
    """Returns the names of what the clauses of a statement say."""
    lowered = re.sub(r"TABLE\(|--.*", "", lower_sql(sql))
    return sorted(re.findall(r"\b(?!__)(\w+) =>", lowered))


def test_most_statements_have_a_tree() -> None:
    trees = [
        tree
        for path in FILES
        for _, sql in statements(path)
        if clause_error(sql) is None and lower_sql(sql) != sql
        for tree in parsed(sql)
    ]
    whole = [tree for tree in trees if isinstance(tree, (exp.Query, exp.DDL, exp.DML))]
    assert len(whole) >= 580
    assert isinstance(sqlglot.Dialect.get_or_raise("eddyline"), Eddyline)


@cache
def parsed(sql: str) -> list[exp.Expr]:
    """Returns the trees of a text, none where sqlglot refuses Spark's part of it."""
    try:
        return [tree for tree in sqlglot.parse(sql, dialect="eddyline") if tree is not None]
    except ParseError:
        return []


@pytest.mark.full
def test_a_damaged_statement_is_read_or_refused() -> None:
    """What two statements make when parts of them are joined is no surprise to the plug-in."""
    draw = random.Random(759)
    whole = [sql for path in FILES for _, sql in statements(path) if len(sql) < 600]
    read = 0
    for _ in range(1000):
        one, other = (re.findall(r"\w+|\s+|[^\w\s]", draw.choice(whole)) for _ in range(2))
        cut = draw.randrange(len(one))
        sql = "".join([*one[:cut], *other[draw.randrange(len(other)) :]])
        try:
            trees = [tree for tree in sqlglot.parse(sql, dialect="eddyline") if tree is not None]
        except SqlglotError:
            continue
        read += 1
        for tree in trees:
            with suppress(UnsupportedError):
                lower_sql(tree.sql("eddyline", pretty=True))
    assert read > 100
