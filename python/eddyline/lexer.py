"""The Pygments lexer `eddyline`, for IPython, nbconvert, Sphinx and `rich`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from pygments.lexer import default, include, inherit
from pygments.lexers.sql import SqlLexer
from pygments.token import Comment, Name, Number, Punctuation, String, Whitespace
from pygments.token import Keyword as KeywordToken

from eddyline.grammar.regions import (
    AFTER_A_QUERY,
    NAME,
    QUERY,
    STREAM,
    Keyword,
    Region,
    heads,
    regions,
)

_BLANK = r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)"
# letters of other alphabets, and what else is no space
_OTHER_LETTER = r"[^\s\x00-\x7f]"
_ENDS = (r"(?=[;)])", Whitespace, "#pop")
_IN_BRACKETS = (r"\(", Punctuation, "brackets")


def _rules(words: Iterable[Keyword]) -> list[tuple[Any, ...]]:
    """Returns the rules of keywords; a name after one is no keyword, whatever it is."""
    rules: list[tuple[Any, ...]] = []
    for word in words:
        pattern = word.pattern(_BLANK, "")
        if word.names:
            rules.append((rf"{pattern}(?={_BLANK}+{word.name})", KeywordToken, "name"))
        rules.append((pattern, KeywordToken))
    return rules


def _start(region: Region) -> tuple[Any, ...]:
    return (region.pattern(_BLANK, ""), KeywordToken, region.first.text.lower())


def _state(region: Region) -> list[Any]:
    """Returns the rules inside a clause, by what ends it."""
    words = _rules(region.words)
    if region.role == "relation":
        return [include("inert"), _IN_BRACKETS, *words, default("#pop")]
    after = {"primary": AFTER_A_QUERY, "statement": QUERY}.get(region.role)
    ends = [(rf"(?=(?i:{'|'.join(after)})\b)", Whitespace, "#pop")] if after else []
    return [include("inert"), _ENDS, _IN_BRACKETS, *words, *ends, include("root")]


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
        "blank": [
            (r"\s+", Whitespace),
            (r"--(?:\\\n|[^\n])*", Comment.Single),
            (r"/\*", Comment.Multiline, "multiline-comments"),
        ],
        "inert": [
            include("blank"),
            (rf"\w*(?:{_OTHER_LETTER}\w*)+", Name),
            (r"\b[rR](?:'[^']*'|\"[^\"]*\")", String),
            (r"'(?:\\.|[^'\\])*'", String.Single),
            (r'"(?:\\.|[^"\\])*"', String.Double),
            (r"`(?:[^`]|``)*`", Name.Variable),
            (r"\b[0-9][0-9A-Za-z_.]*", Number),
            (r"(?<=\.)[A-Za-z_]\w*", Name),
        ],
        "root": [
            include("inert"),
            *_rules(heads()),
            (STREAM.pattern(_BLANK, ""), KeywordToken),
            *map(_start, regions()),
            inherit,
        ],
        "name": [
            include("blank"),
            (r"`[^`]*`", Name.Variable, "#pop"),
            (NAME, Name, "#pop"),
            default("#pop"),
        ],
        "brackets": [(r"\)", Punctuation, "#pop"), _IN_BRACKETS, include("root")],
        **{region.first.text.lower(): _state(region) for region in regions()},
    }
