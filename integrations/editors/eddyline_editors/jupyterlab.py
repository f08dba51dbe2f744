"""The rules of the Pygments lexer as JSON, by which JupyterLab colors the SQL of magics."""

from __future__ import annotations

from typing import Any

from pygments.lexer import default, include, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String

from eddyline.lexer import EddylineLexer

KINDS = {
    Comment: "Comment",
    Keyword: "Keyword",
    Name.Builtin: "Type",
    Name.Variable: "QuotedName",
    Number: "Number",
    Operator: "Operator",
    String: "String",
}
"""What the tokens of Pygments are called in the editor; others, such as names, have no color."""


def rules() -> dict[str, list[dict[str, str]]]:
    """Returns the rules of each state in their order.

    A rule has a regular expression that ignores the case, and may have the kind of token that it
    matches, and the state that follows, where `#pop` is the one before. Or it stands for all rules
    of another state.

    >>> rules()["emit"][:2]
    [{'include': 'inert'}, {'match': '(?=[;)])', 'next': '#pop'}]
    """
    states = EddylineLexer.get_tokendefs()
    return {state: [_rule(found) for found in states[state]] for state in states}


def kind(token: Any) -> str | None:
    """Returns what a token of Pygments is called in the editor, or None.

    >>> kind(String.Single)
    'String'
    """
    return next((name for known, name in KINDS.items() if token in known), None)


def _rule(found: Any) -> dict[str, str]:
    if isinstance(found, include):
        return {"include": str(found)}
    if isinstance(found, default):
        return {"match": "", "next": found.state}
    pattern, token, *after = found
    if isinstance(pattern, words):
        pattern = pattern.get()
    # JavaScript that browsers know has no part that ignores the case
    pattern = pattern.replace("(?i:", "(?:")
    parts = {"match": pattern, "kind": kind(token), "next": after[0] if after else None}
    return {name: part for name, part in parts.items() if part is not None}
