"""The Pygments lexer finds the words that are keywords, and takes no others for them."""

from __future__ import annotations

from typing import Any

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Name, String
from pygments.token import Keyword as KeywordToken

from eddyline.lexer import EddylineLexer
from highlighting import KEYWORDS, golden_clauses, keywords
from parsers import statements


def colored(sql: str) -> list[tuple[Any, str]]:
    return list(EddylineLexer().get_tokens(sql))


def test_the_lexer_is_found_by_its_name() -> None:
    assert isinstance(get_lexer_by_name("eddyline"), EddylineLexer)


def test_the_lexer_knows_each_keyword_of_the_golden_statements() -> None:
    lexer = EddylineLexer()
    seen = set()
    for place, sql in golden_clauses():
        tokens = list(lexer.get_tokens_unprocessed(sql))
        assert "".join(text for _, _, text in tokens) == sql, place
        found = {(at, at + len(text)) for at, kind, text in tokens if kind in KeywordToken}
        missing = {sql[start:stop] for start, stop in keywords(sql) - found}
        assert not missing, place
        seen |= {sql[start:stop].upper() for start, stop in keywords(sql)}
    assert len(seen) > 0.8 * len(KEYWORDS)


def test_the_lexer_reads_what_spark_reads_as_one_piece() -> None:
    sql = "-- a \\\nEMIT ON UPDATE\nSELECT r'\\', `EMIT ON`, 'it\\'s EMIT ON' /* a /* b */ EMIT */"
    kinds = {text: kind for kind, text in colored(sql)}
    assert kinds["-- a \\\nEMIT ON UPDATE"] in Comment
    assert kinds["r'\\'"] in String
    assert kinds["'it\\'s EMIT ON'"] in String
    assert kinds["`EMIT ON`"] in Name
    assert "EMIT" not in kinds


def test_the_lexer_finds_comments_and_names_after_a_keyword() -> None:
    kinds = {text: kind for kind, text in colored("DROP GLOBAL TABLE /* EMIT ON */ días -- key")}
    assert kinds["días"] is Name
    assert kinds[" EMIT ON "] in Comment
    assert kinds["-- key"] in Comment


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "SELECT layout, violation FROM t ASSUME PARTITIONED BY (a) LAYOUT hash",
            "layout violation hash",
        ),
        ("START STREAMING QUERY restart", "restart"),
        ("SELECT tolerance, heartbeat FROM t EMIT ON CHANGE", "tolerance heartbeat"),
        ("SELECT * FROM cogroup c WHERE c.k = 1", "cogroup"),
        ("SELECT emit FROM cogroup GROUP BY emit", "emit cogroup emit"),
        ("SELECT t.key, max(t.rows) FROM t", "key rows"),
    ],
)
def test_names_are_no_keywords(sql: str, words: str) -> None:
    names = [text for kind, text in colored(sql) if kind in Name]
    assert [name for name in names if name.upper() in KEYWORDS] == words.split()


def test_statements_without_a_clause_begin_none() -> None:
    first = {
        word for word, facts in KEYWORDS.items() if facts.get("role", "statement") != "statement"
    }
    for sql in statements("docs"):
        found = {text.upper() for kind, text in colored(sql) if kind in KeywordToken}
        assert not first & found, sql
