"""What editors and notebooks know of the language is what its grammar says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Name, String
from pygments.token import Keyword as KeywordToken

from eddyline.editors.ebnf import grammars
from eddyline.editors.lexer import EddylineLexer
from eddyline.editors.snippets import snippets
from eddyline.editors.steps import completions
from eddyline.versions import eddyline_version
from highlighting import KEYWORDS, golden_clauses, keywords
from parsers import statements
from tiers import ROOT


def test_the_extension_has_the_version_and_the_files_that_it_names() -> None:
    folder = ROOT / "editors/vscode"
    package = json.loads((folder / "package.json").read_text("utf-8"))
    assert package["version"] == eddyline_version()
    assert not {"dependencies", "scripts", "main"} & package.keys()
    parts = [part for parts in package["contributes"].values() for part in parts]
    for part in parts:
        path = part.get("path") or part["configuration"]
        assert json.loads((folder / path).read_text("utf-8")), path
    scopes = {part["scopeName"]: part["path"] for part in parts if "scopeName" in part}
    for scope, path in scopes.items():
        assert json.loads((folder / path).read_text("utf-8"))["scopeName"] == scope


# --- completions


def after(stem: str, words: str) -> set[str]:
    """Returns the words and <operands> that may follow some words and <operands> of a clause."""
    found = completions()[stem]
    names = [step.get("word") or f"<{step['operand']}>" for step in found["steps"]]
    ahead = set(found["first"])
    for word in words.split():
        here = {index for index in ahead if names[index] == word}
        assert here, f"{word} of {words}"
        ahead = {index for place in here for index in found["steps"][place]["next"]}
    return {names[index] for index in ahead}


def test_completions_are_the_words_that_may_follow() -> None:
    assert after("emit", "EMIT") == {"EVERY", "ON"}
    assert after("emit", "EMIT ON") == {"CHANGE", "UPDATE", "WINDOW"}
    assert after("emit", "EMIT ON WINDOW") == {"CLOSE"}
    assert after("emit", "EMIT ON CHANGE") == {"EXCEPT", "HEARTBEAT", "KEY", "OF", "TOLERANCE"}
    key = "EMIT ON CHANGE KEY ( <identifier> )"
    assert after("emit", key) == {"EXPIRE", "HEARTBEAT", "ORDER", "TOLERANCE"}
    branches = "COGROUP <relationPrimary> BY <expression> , <relationPrimary> BY <expression>"
    assert after("cogroup", branches) == {",", "AGGREGATE", "AS", "USING"}
    assert after("globaltable", "SHOW GLOBAL TABLES") == {"FROM", "IN"}
    claim = "<relation> ASSUME PARTITIONED BY ( <expression> )"
    assert after("assume", claim) == {",", "ENFORCED", "INTO", "LAYOUT", "NOT"} - {","}


def test_completions_have_each_keyword_of_each_clause() -> None:
    for stem, found in completions().items():
        words = {step["word"] for step in found["steps"] if step.get("word", "").isalpha()}
        assert words == {word for word, facts in KEYWORDS.items() if stem in facts["clauses"]}
        places = {index for step in found["steps"] for index in step["next"]} | {*found["first"]}
        assert places == {*range(len(found["steps"]))}
        assert any(step.get("end") for step in found["steps"])


# --- snippets


def filled(body: str) -> str:
    """Returns a snippet with something in the place of each operand."""
    values = {
        "clauses": "USING parquet PRIMARY KEY (k)",
        "integer": "2",
        "number": "2",
        "properties": "('a' = 'b')",
        "query": "SELECT * FROM u",
        "string": "'s'",
        "unit": "SECONDS",
    }
    return re.sub(r"\$\{\d+:(\w+)\}", lambda place: values.get(place[1], "k"), body)


def written() -> dict[str, str]:
    """Returns the snippets that are statements or queries, by their titles."""
    whole = {"CHECK", "COGROUP", "EXPLAIN", "GLOBAL", "SHOW", "STREAMING"}
    wanted = {}
    for title, found in snippets().items():
        sql = filled(found["body"])
        if sql.startswith(("EMIT ", "ASSUME ")):
            wanted[title] = f"SELECT * FROM t {sql}"
        elif whole & {*title.split()}:
            wanted[title] = sql
    return wanted


@pytest.mark.parametrize("title", written())
def test_a_snippet_is_read(title: str) -> None:
    assert keywords(written()[title])


def test_each_clause_has_snippets() -> None:
    described = {found["description"].removeprefix("eddyline, ") for found in snippets().values()}
    assert described == grammars().keys()
    assert len(written()) > 40


# --- Pygments


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
