"""The Pygments lexer `eddyline`, for IPython, nbconvert, Sphinx and `rich`."""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import bygroups, default, include, inherit
from pygments.lexers.sql import SqlLexer
from pygments.token import Comment, Name, Number, Punctuation, String, Whitespace
from pygments.token import Keyword as KeywordToken

from eddyline.editors.regions import AFTER_A_QUERY, QUERY, STREAM, Keyword, Region, heads, regions

_BLANK = r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)"
_ENDS = (r"(?=[;)])", Whitespace, "#pop")
_IN_BRACKETS = (r"\(", Punctuation, "brackets")


def _rule(word: Keyword) -> tuple[Any, ...]:
    pattern = word.pattern(_BLANK, "")
    if not word.names:
        return (pattern, KeywordToken)
    named = rf"({pattern})(?:({_BLANK}+){word.name})?"
    return (named, bygroups(KeywordToken, Whitespace, Name))


def _start(region: Region) -> tuple[Any, ...]:
    return (region.pattern(_BLANK, ""), KeywordToken, region.first.text.lower())


def _state(region: Region) -> list[Any]:
    """Returns the rules inside a clause, by what ends it."""
    words = [_rule(word) for word in region.words]
    if region.role == "relation":
        return [include("inert"), _IN_BRACKETS, *words, default("#pop")]
    after = {"primary": AFTER_A_QUERY, "statement": QUERY}.get(region.role)
    ends = [(rf"(?=(?i:{'|'.join(after)})\b)", Whitespace, "#pop")] if after else []
    return [_ENDS, _IN_BRACKETS, *words, *ends, include("root")]


class EddylineLexer(SqlLexer):  # type: ignore[misc]  # Pygments has no types
    """Splits Spark SQL with the clauses of eddyline into tokens.

        >>> tokens = EddylineLexer().get_tokens("cup EMIT ON CHANGE")
    >>> [text for kind, text in tokens if kind in KeywordToken]
    ['EMIT', 'ON', 'CHANGE']
    """

    name = "SQL of eddyline"
    aliases: ClassVar[list[str]] = ["eddyline"]
    filenames: ClassVar[list[str]] = []
    mimetypes: ClassVar[list[str]] = []
    url = "https://github.com/eddyline/eddyline"
    version_added = ""

    tokens: ClassVar[dict[str, list[Any]]] = {
        "inert": [
            (r"\s+", Whitespace),
            (r"--(?:\\\n|[^\n])*", Comment.Single),
            (r"/\*", Comment.Multiline, "multiline-comments"),
            (r"\b[rR](?:'[^']*'|\"[^\"]*\")", String),
            (r"'(?:\\.|[^'\\])*'", String.Single),
            (r'"(?:\\.|[^"\\])*"', String.Double),
            (r"`(?:[^`]|``)*`", Name),
            (r"\b[0-9][\w.]*", Number),
        ],
        "root": [
            include("inert"),
            *map(_rule, heads()),
            (STREAM.pattern(_BLANK, ""), KeywordToken),
            *map(_start, regions()),
            inherit,
        ],
        "brackets": [(r"\)", Punctuation, "#pop"), _IN_BRACKETS, include("root")],
        **{region.first.text.lower(): _state(region) for region in regions()},
    }
