"""sqlfluff with the dialect `eddyline`, and the statements with which it is tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sqlfluff.core import FluffConfig, Linter
from sqlfluff.core.parser import BaseSegment

import eddyline_sqlfluff  # noqa: F401 - sqlfluff's own functions ask for a dialect before plug-ins
from eddyline import lower_sql
from eddyline.errors import ClauseError
from eddyline.lowering.tokens import read_tokens
from goldenfiles import read_golden
from pages import PAGES, SQLMESH, blocks
from tiers import ROOT

DIALECT = "eddyline"
GAPS = {
    "pipes (`|>`)": r"\|>",
    "scripts (`BEGIN … END`) and variables (`DECLARE`)": (
        r"\A(?:--.*\n)*(?:BEGIN|DECLARE|DROP TEMPORARY VARIABLE)\b"
    ),
    "`TABLE(…) PARTITION BY` as an argument": r"\A(?!EXECUTE)(?s:.*)TABLE\(.*\) PARTITION BY",
    "reserved words of Spark's ANSI mode as names, such as `order` and `table`": (
        r"\bAS (?:order|using)\b|global \(table|DESCRIBE global table"
    ),
    "a comment that a backslash continues on the next line": r"\\\n",
    "`${variable}`": r"\$\{",
    "SET without a value": r"\ASET \S+=\Z",
}
"""What Spark accepts and the sparksql of sqlfluff does not parse, each with a pattern of it."""


@cache
def linter(dialect: str = DIALECT, rules: str | None = None, templater: str = "raw") -> Linter:
    """Returns a linter; all rules unless some are named, separated by commas."""
    core = {"dialect": dialect, "rules": rules, "templater": templater}
    return Linter(config=FluffConfig(overrides={**core, "large_file_skip_byte_limit": 0}))


def tree(sql: str, dialect: str = DIALECT) -> BaseSegment:
    """Returns the tree of a text that is parsed."""
    parsed = linter(dialect).parse_string(f"{sql}\n")
    assert parsed.violations == [], sql
    assert parsed.tree is not None
    return parsed.tree


def found(sql: str, rules: str | None = None) -> list[tuple[str, int, int]]:
    """Returns what rules find in a text: each with its code, line and position."""
    violations = linter(rules=rules).lint_string(f"{sql}\n").get_violations()
    return [(each.rule_code(), each.line_no, each.line_pos) for each in violations]


def fix(sql: str, rules: str | None = None, dialect: str = DIALECT) -> str:
    """Returns a text as `sqlfluff fix` leaves it."""
    fixed, _ = linter(dialect, rules).lint_string(f"{sql}\n", fix=True).fix_string()
    return fixed.removesuffix("\n")


def parse_errors(sql: str, dialect: str = DIALECT) -> list[tuple[int, int, str]]:
    """Returns the line, position and description of each parse error of a text."""
    violations = linter(dialect).parse_string(f"{sql}\n").violations
    return [(each.line_no, each.line_pos, each.desc()) for each in violations]


def accepted() -> Iterator[tuple[str, str]]:
    """Yields the place and the text of statements and scripts that Spark with eddyline accepts."""
    for path in sorted((ROOT / "tests/golden").rglob("*.sql")):
        for block in read_golden(path).blocks:
            if not block.kind.startswith("query error"):
                yield f"{path.relative_to(ROOT)}:{block.line}", block.sql
            if block.kind == "query equals":
                yield f"{path.relative_to(ROOT)}:{block.line} -- to", block.expected
    for example in sorted((ROOT / "sql/examples").glob("*.sql")):
        yield example.name, example.read_text("utf-8")
    for page in PAGES:
        if page != SQLMESH:  # its statements begin with a declaration that only SQLMesh reads
            yield from ((page.name, block.code) for block in blocks(page, "sql"))


def has_clause(sql: str) -> bool:
    """Returns whether a text holds a clause that is valid."""
    try:
        return lower_sql(sql) != sql
    except ClauseError:
        return False


def sample() -> list[str]:
    """Returns a statement with a clause of each golden file that has one."""
    first: dict[str, str] = {}
    for place, sql in accepted():
        file, _, line = place.partition(":")
        if line and file not in first and not gaps(sql) and has_clause(sql):
            first[file] = sql
    return list(first.values())


def gaps(sql: str) -> list[str]:
    """Returns what a text has that the sparksql of sqlfluff does not parse, as the docs call it."""
    return [name for name, pattern in GAPS.items() if re.search(pattern, sql)]


def words(sql: str) -> list[str]:
    """Returns the words that Spark parses, in upper case, without blanks, quotes and AS.

    The text of a statement's query, which its call also holds, is left out.
    """
    found = read_tokens(re.sub(r"(?i)x'[0-9a-f]*'", "''", lower_sql(sql))).words
    texts = (re.sub(r"\s", "", word.text).strip("'\"`").upper() for word in found)
    return [text for text in texts if text != "AS"]
