"""sqlfluff's dialect `eddyline` over all statements of golden files, examples and pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from fluff import accepted, fix, gaps, has_clause, linter, parse_errors, words

from eddyline import lower_sql


def by_file() -> dict[str, list[tuple[str, str]]]:
    """Returns the statements of each file, each with its place."""
    found = defaultdict(list)
    for place, sql in accepted():
        found[place.partition(":")[0]].append((place, sql))
    return found


def with_clauses(file: str) -> Iterator[tuple[str, str]]:
    """Yields the statements of a file that have a clause, but for those that are not parsed."""
    return (each for each in STATEMENTS[file] if not gaps(each[1]) and has_clause(each[1]))


STATEMENTS = by_file()
FILES = sorted(STATEMENTS)
# whoever writes a page sees at once what sqlfluff does not read of it
PAGES_AT_ONCE = [
    pytest.param(file, marks=[pytest.mark.check] if file.endswith(".md") else []) for file in FILES
]
# rules whose fixes rewrite Spark's SQL: they move, add, remove or replace words
REWRITING = "ST05,ST06,ST07,ST09,AM03,AM05,RF03,AL05,AL09,CV02,CV04,CV10"
# here a second fix goes on: ST05 has made a name of a subquery that holds another one
ST05_ONLY_ONCE = "WITH c AS (SELECT * FROM bad ASSUME PARTITIONED BY (k))\nSELECT a.k, a.n, b.m"


@pytest.mark.parametrize("file", PAGES_AT_ONCE)
def test_what_spark_accepts_is_parsed_but_for_what_the_docs_list(file: str) -> None:
    for place, sql in STATEMENTS[file]:
        assert bool(parse_errors(sql)) == bool(gaps(sql)), place


@pytest.mark.slow
@pytest.mark.parametrize("file", [file for file in FILES if any(with_clauses(file))])
def test_a_fix_keeps_the_clauses(file: str) -> None:
    """A fix by all rules keeps what clauses say, and one by rules that rewrite none each word."""
    rules = {rule.code for rule in linter().rule_tuples()} - set(REWRITING.split(","))
    for place, sql in with_clauses(file):
        fixed = fix(sql)
        assert settings(fixed) == settings(sql), place
        assert fix(fixed) == fixed or sql.startswith(ST05_ONLY_ONCE), place
        assert words(fix(sql, ",".join(sorted(rules)))) == words(sql), place


def settings(sql: str) -> Counter[str]:
    """Returns the calls for which clauses stand, and their arguments that are literals."""
    call = r"\b__eddyline_\w+(?=\()|\b\w+ => (?:'[^'\\]*'|\d+|true|false)"
    return Counter(text.lower() for text in re.findall(call, lower_sql(sql)))
