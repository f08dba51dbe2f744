"""The completions and the snippets are what the grammar of the clauses says."""

from __future__ import annotations

import re

import pytest

from eddyline.grammar.ebnf import grammars
from eddyline_editors.completions import completions
from eddyline_editors.snippets import snippets
from highlighting import KEYWORDS, keywords

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
    anywhere = {"HEARTBEAT", "TOLERANCE", "WITH"}
    assert after("emit", "EMIT ON CHANGE") == {"EXCEPT", "KEY", "OF"} | anywhere
    key = "EMIT ON CHANGE KEY ( <identifier> )"
    assert after("emit", key) == {"APPLY", "EXPIRE", "ORDER"} | anywhere
    named = "EMIT ON CHANGE WITH CHANGE TYPE <identifier>"
    assert after("emit", named) == {"BEFORE"}
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
