"""sqlfluff with its dialect `sparksql`, which docs/tools.md describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from eddyline import lower
from eddyline.errors import ClauseError
from eddyline.testing import read_golden

ROOT = Path(__file__).parents[2]
DIALECT = "sparksql"


def with_clauses() -> list[str]:
    """Returns a statement with a clause, which Spark runs, of each golden file that has one."""
    found = []
    for path in sorted((ROOT / "tests/golden").rglob("*.sql")):
        blocks = [b.sql for b in read_golden(path).blocks if not b.kind.startswith("query error")]
        found += [sql for sql in blocks if has_clause(sql)][:1]
    return found


def has_clause(sql: str) -> bool:
    try:
        return lower(sql) != sql
    except ClauseError:
        return False


def test_a_plugin_cannot_bring_a_dialect() -> None:
    """If this fails, sqlfluff may have learnt it, and eddyline should bring its own."""
    import sqlfluff
    from sqlfluff.core.plugin.hookspecs import PluginSpec

    hooks = {name for name in vars(PluginSpec) if not name.startswith("_")}
    assert hooks == {"get_rules", "load_default_config", "get_configs_info"}
    with pytest.raises(sqlfluff.api.simple.SQLFluffUserError, match="Unknown dialect"):
        sqlfluff.lint("SELECT 1\n", dialect="eddyline")


def test_a_clause_is_a_parse_error_and_its_file_is_not_fixed() -> None:
    import sqlfluff

    sample = with_clauses()
    assert len(sample) > 30
    for sql in sample:
        text = f"SELECT a,b from t;\n{sql}\n"
        assert "PRS" in {found["code"] for found in sqlfluff.lint(text, dialect=DIALECT)}, sql
        assert sqlfluff.fix(text, dialect=DIALECT) == text


def test_the_place_of_the_parse_error() -> None:
    import sqlfluff

    sql = "SELECT k\nFROM t GROUP BY k EMIT ON CHANGE\n"
    (found,) = (each for each in sqlfluff.lint(sql, dialect=DIALECT) if each["code"] == "PRS")
    assert (found["start_line_no"], found["start_line_pos"]) == (2, 19)


def test_a_stream_is_taken_for_a_table_unless_rules_are_excluded() -> None:
    import sqlfluff

    sql = "SELECT k FROM STREAM t\n"
    assert sqlfluff.fix(sql, dialect=DIALECT) == "SELECT k FROM stream\n"
    page = (ROOT / "docs/tools.md").read_text()
    (rules,) = re.findall(r"^exclude_rules = (.*)$", page, re.MULTILINE)
    assert sqlfluff.fix(sql, dialect=DIALECT, exclude_rules=rules.split(", ")) == sql
