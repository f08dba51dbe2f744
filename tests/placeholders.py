"""Texts that say each argument of `sql/placeholders.toml`."""

from __future__ import annotations

from collections.abc import Iterator

from eddyline.lowering.placeholders import Argument, arguments
from eddyline.lowering.tokens import read_tokens

_QUERIES = {
    "__eddyline_assume": "SELECT k FROM t ASSUME",
    "__eddyline_emit": "SELECT k FROM t EMIT",
}
_VALUES = {
    "amount": "1",
    "columns": "(a)",
    "condition": "a",
    "expression": "a",
    "flag": "true",
    "interval": "1 DAY",
    "name": "a",
    "number": "8",
}


def _with(function: str, said: list[Argument]) -> tuple[str, list[str]]:
    """Returns a query whose clause says the arguments, and their names in order."""
    words = [each.sql(_VALUES.get(each.type) or next(iter(each.values))) for each in said]
    return f"{_QUERIES[function]} {' '.join(words)}", sorted(each.name for each in said)


def _queries(function: str) -> list[tuple[str, list[str]]]:
    known = arguments(function)
    replaced = {each.instead_of for each in known if each.instead_of}
    with_one = [each for each in known if not each.instead_of]
    with_other = [each for each in known if each.name not in replaced]
    return [_with(function, with_one), *([_with(function, with_other)] if replaced else [])]


EVERY_ARGUMENT = [query for function in sorted(_QUERIES) for query in _queries(function)]


def calls(sql: str) -> Iterator[tuple[str, str]]:
    """Yields the call and the name of each argument that a lowered text names."""
    tokens = read_tokens(sql)
    for index, word in enumerate(tokens.words):
        if not word.text.startswith("__eddyline_") or tokens.key(index + 1) != "(":
            continue
        for at in tokens.top_level(index + 2, tokens.match[index + 1]):
            if tokens.key(at) == "=>":
                yield word.text, tokens.words[at - 1].text
