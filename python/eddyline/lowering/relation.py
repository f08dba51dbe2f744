"""Finds the name of a relation: its alias, else the last part of its table's name."""

from __future__ import annotations

from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import is_unit

_CLAIMS = Role.RELATION.heads
# first words of options of a claim that elsewhere begin something else
OPTION_HEADS = frozenset([("USING", "HASH"), ("ON", "VIOLATION")])
# Words that may stand between a table and its alias, each followed by a group in brackets.
_WITH_GROUP = frozenset(["PIVOT", "REPEATABLE", "TABLESAMPLE", "UNPIVOT", "WITH"])
_TEMPORAL = frozenset(["FOR", "SYSTEM_TIME", "SYSTEM_VERSION", "TIMESTAMP", "VERSION", "WATERMARK"])


def relation_name(tokens: Tokens, first: int, stop: int) -> str | None:
    """Returns the name, as typed, of the relation in the words [first, stop), or None.

    >>> from eddyline.lowering.tokens import read_tokens
    >>> for sql in ("db.cart", "(SELECT 1) AS x(a)", "STREAM t VERSION AS OF 1", "stream"):
    ...     tokens = read_tokens(sql)
    ...     print(relation_name(tokens, 0, len(tokens)))
    cart
    x
    t
    stream
    """
    at, name = read_primary(tokens, first, stop)
    while at < stop:
        key = tokens.key(at)
        if key == "AS" and tokens.is_name(at + 1):
            return tokens.words[at + 1].text
        if (key, tokens.key(at + 1).partition(" ")[0]) in _CLAIMS:
            return name
        if key in _WITH_GROUP and tokens.key(at + 1) == "(":
            at = tokens.after(at + 1)
        elif (after := after_of(tokens, at, stop)) is not None:
            at = after
        else:
            return tokens.words[at].text if tokens.is_name(at) else name
    return name


def read_primary(tokens: Tokens, first: int, stop: int) -> tuple[int, str | None]:
    """Returns the index after the table, subquery, function or VALUES, and the table's name.

    Args:
        tokens: the query.
        first: where the relation begins.
        stop: where it ends at the latest; STREAM before it is the name of a table.
    """
    at = first
    is_lead = tokens.key(at) == "STREAM" and at + 1 < stop
    if is_lead and (tokens.is_name(at + 1) or tokens.key(at + 1) == "("):
        if tokens.key(at + 1) == "(" and tokens.after(at + 1) > at + 3:
            return tokens.after(at + 1), read_primary(tokens, at + 2, stop)[1]
        at += 1
    if tokens.key(at) == "VALUES":
        at += 1
        while is_row(tokens, at) or (tokens.key(at) == "," and is_row(tokens, at + 1)):
            at = tokens.after(at)
        return at, None
    if not tokens.is_name(at):
        return tokens.after(at), None
    while tokens.key(at + 1) == "." and tokens.is_name(at + 2):
        at += 2
    if tokens.key(at + 1) == "(":
        return tokens.after(at + 1), None
    return at + 1, tokens.words[at].text


def is_row(tokens: Tokens, at: int) -> bool:
    """Returns whether a row of VALUES, in brackets or one literal, stands at `at`."""
    if at >= len(tokens):
        return False
    word = tokens.words[at]
    is_number = word.text[0].isdecimal() and not word.identifier
    return word.key == "(" or is_number or (word.quoted and not word.identifier)


def after_of(tokens: Tokens, at: int, stop: int) -> int | None:
    """Returns the index after VERSION or TIMESTAMP AS OF x, or WATERMARK x DELAY OF x, or None."""
    if tokens.key(at) not in _TEMPORAL:
        return None
    while at < stop and tokens.key(at) != "OF":
        at = tokens.after(at)
    if at >= stop:
        return None  # an alias called version
    at += 1
    if tokens.key(at) == "INTERVAL":
        at += 1
        while is_unit(tokens.key(at + 1)):
            at += 2
        return at if is_unit(tokens.key(at - 1)) else at + 1
    return tokens.after(at)
