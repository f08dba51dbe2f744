"""Finds the clauses of a text and lowers them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot.errors import TokenError

from eddyline.errors import ClauseError
from eddyline.lowering import cogroup
from eddyline.lowering.edits import Edit, apply, blank, in_order
from eddyline.lowering.tokens import read_tokens

_QUERY = "TABLE c"  # as long as the shortest clause


@dataclass(frozen=True)
class Lowering:
    """A text in which at least one clause was lowered.

    Attributes:
        sql: the lowered text, which Spark parses.
        edits: from the typed to the lowered text, in order; offsets count characters.
        masked: the typed text with every clause blanked out to a query of the same length.
    """

    sql: str
    edits: tuple[Edit, ...]
    masked: str


def read(sql: str) -> Lowering | None:
    """Lower the clauses of `sql`.

    Args:
        sql: any text: a statement, a script, several statements.

    Returns:
        The lowering, or None if `sql` holds no clause.

    Raises:
        ClauseError: a clause is not valid; condition EDDYLINE_<CLAUSE>.*.
    """
    try:
        tokens = read_tokens(sql)
    except TokenError:
        return None  # Spark's parser says what is wrong
    edits: list[Edit] = []
    masked = sql
    for index in range(len(tokens)):
        if cogroup.starts(tokens, index):
            clause = cogroup.read(tokens, index)
            edits += clause.edits
            masked = blank(masked, clause.start, clause.stop, _QUERY)
    if not edits:
        return None
    ordered = in_order(edits)
    return Lowering(apply(sql, ordered), tuple(ordered), masked)


def mask(sql: str) -> str:
    """The text with every clause blanked out, also one that is not valid: up to its end.

    The spark-sql CLI splits a text into statements by it.

    >>> mask("COGROUP a BY ; SELECT 1")
    'TABLE c      ; SELECT 1'
    """
    tokens, masked = read_tokens(sql), sql
    for index in range(len(tokens)):
        if cogroup.starts(tokens, index):
            try:
                stop = cogroup.read(tokens, index).stop
            except ClauseError:
                stop = tokens.words[tokens.group_end(index) - 1].stop
            masked = blank(masked, tokens.words[index].start, stop, _QUERY)
    return masked


def lower(sql: str) -> str:
    """The text that Spark gets to see for `sql`; `sql` itself if it holds no clause.

    Raises:
        ClauseError: a clause is not valid; condition EDDYLINE_<CLAUSE>.*.

    >>> lower("SELECT 1")
    'SELECT 1'
    """
    lowering = read(sql)
    return sql if lowering is None else lowering.sql
