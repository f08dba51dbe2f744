"""The name of a relation: its alias, else the last part of its table's name."""

from __future__ import annotations

from eddyline.lowering.tokens import Tokens

# What may follow a table's name before its alias, each with what it takes.
_SUFFIXES = frozenset(["TABLESAMPLE", "WITH", "REPEATABLE"])
_TEMPORAL = frozenset(["FOR", "VERSION", "TIMESTAMP", "SYSTEM_VERSION", "SYSTEM_TIME", "WATERMARK"])


def relation_name(tokens: Tokens, first: int, stop: int) -> str | None:
    """The name, as typed, of the relation in the words [first, stop); None if it has none.

    >>> from eddyline.lowering.tokens import read_tokens
    >>> relation_name(read_tokens("db.cart"), 0, 3)
    'cart'
    >>> relation_name(read_tokens("(SELECT 1) AS x(a)"), 0, 8)
    'x'
    """
    last = stop - 1
    if tokens.key(last) == ")" and tokens.match.get(last, 0) > first:
        before = tokens.match[last] - 1
        if tokens.is_name(before) and before > first and _is_alias(tokens, first, before):
            last = before  # alias(columns)
    if last > first and tokens.is_name(last) and _is_alias(tokens, first, last):
        return tokens.words[last].text
    at = first + 1 if tokens.key(first) == "STREAM" and first + 1 < stop else first
    if tokens.key(at) == "(" and at != first:
        at += 1  # STREAM(table)
    if not tokens.is_name(at) or tokens.key(at + 1) == "(" or tokens.key(at) == "VALUES":
        return None
    while tokens.key(at + 1) == "." and tokens.is_name(at + 2) and at + 2 < stop:
        at += 2
    return tokens.words[at].text


def _is_alias(tokens: Tokens, first: int, index: int) -> bool:
    """Whether the name at `index` is an alias: behind AS, behind `)` or behind another name."""
    before = index - 1
    if tokens.key(before) == "AS":
        return before > first
    if tokens.key(before) == ")":
        opening = tokens.match.get(before, before)
        return tokens.key(opening - 1) != "STREAM" or opening - 1 >= first
    if not tokens.is_name(before) or tokens.key(before) in _TEMPORAL or before < first:
        return False
    return tokens.key(before) != "STREAM" or before != first
