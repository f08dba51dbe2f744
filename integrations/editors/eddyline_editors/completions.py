"""The words that may follow each word of a clause, as JSON, for authors of editors."""

from __future__ import annotations

from typing import Any

from eddyline.grammar.ebnf import grammars
from eddyline.grammar.steps import Steps, steps


def completions() -> dict[str, Any]:
    """Returns what may follow each word, as JSON, by the stem of the clause.

    >>> emit = completions()["emit"]
    >>> [emit["steps"][at]["word"] for at in emit["steps"][emit["first"][0]]["next"]]
    ['ON', 'ON', 'ON', 'EVERY']
    """
    return {stem: _as_json(steps(stem)) for stem in grammars()}


def _as_json(found: Steps) -> dict[str, Any]:
    return {
        "first": found.first,
        "steps": [
            {("operand" if step.leaf.operand else "word"): step.leaf.text, "next": step.following}
            | ({"end": True} if step.ends else {})
            for step in found.steps
        ],
    }
