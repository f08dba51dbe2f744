"""What Spark knows around relations and sqlglot does not: streams, watermarks and TABLE queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokens import TokenType

from eddyline.dialect.marks import WATERMARK
from eddyline.lowering.assume import relation_start
from eddyline.lowering.edits import Edit
from eddyline.lowering.relation import after_of
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import SET_OPERATORS

_BEFORE_RELATION = frozenset(["COGROUP", "FROM", "JOIN", ",", "("])
# words after which a comma separates relations
_LISTS_RELATIONS = frozenset(["COGROUP", "FROM"])
_LISTS_OTHERS = frozenset(["AGGREGATE", "SELECT", "SET", "VALUES", "GROUP BY", "ORDER BY", "ON"])
_NO_NAME = frozenset(
    "AS CROSS FULL INNER JOIN LEFT LIMIT ON RIGHT SELECT UNION USING WHERE".split()
) | {"GROUP BY", "ORDER BY"}
_BEFORE_QUERY = SET_OPERATORS | {"", ";", "ALL", "AS"}


def kinds_of_words(tokens: Tokens, edits: Sequence[Edit]) -> dict[int, TokenType]:
    """Returns the kinds of tokens that sqlglot takes for something else, by their offsets.

    STREAM is a word that its Spark dialect does not know, but its parser does. `window(…)` is a
    function.

    Args:
        tokens: the words of a text.
        edits: edits of the lowering, which replace the words of clauses.
    """
    of_clauses = {edit.start for edit in edits if edit.start < edit.stop}
    kinds = {}
    for index, word in enumerate(tokens.words):
        if word.key == "STREAM" and _is_stream(tokens, index, of_clauses):
            kinds[word.start] = TokenType.STREAM
        elif word.key == "WINDOW" and tokens.key(index + 1) == "(":
            kinds[word.start] = TokenType.VAR
    return kinds


def relation_edits(tokens: Tokens, *, in_query: bool) -> Iterator[Edit]:
    """Yields the edits that make calls of watermarks, and a SELECT of `TABLE t` beside a clause."""
    for index, word in enumerate(tokens.words):
        if word.key == "WATERMARK":
            yield from _watermark(tokens, index)
        elif in_query and word.key == "TABLE" and _is_query(tokens, index):
            yield Edit(word.start, word.stop, "SELECT * FROM")


def _watermark(tokens: Tokens, index: int) -> Iterator[Edit]:
    """Yields the edits that open and close a call around a relation with a watermark."""
    first, after = relation_start(tokens, index), after_of(tokens, index, len(tokens))
    if first is None or after is None:
        return
    opening = tokens.words[first].start
    start, stop = tokens.words[index].start, tokens.words[after - 1].stop
    typed = exp.Literal.string(tokens.sql[start:stop]).sql("spark")
    yield Edit(opening, opening, f"{WATERMARK}(TABLE(SELECT * FROM")
    yield Edit(start, stop, f"), {WATERMARK} => {typed})")


def _is_stream(tokens: Tokens, index: int, of_clauses: set[int]) -> bool:
    """Returns whether STREAM at `index` makes a stream of the relation after it."""
    before, follower = tokens.key(index - 1), tokens.key(index + 1)
    named = tokens.is_name(index + 1) and follower not in _NO_NAME
    named = named and tokens.words[index + 1].start not in of_clauses
    if before not in _BEFORE_RELATION or not (named or follower == "("):
        return False
    if before == "(":
        return tokens.key(index - 2) in _BEFORE_RELATION
    return before != "," or _lists_relations(tokens, index - 1)


def _is_query(tokens: Tokens, index: int) -> bool:
    """Returns whether TABLE at `index` begins a query."""
    is_first = tokens.key(index - 1) in _BEFORE_QUERY or tokens.key(index - 2) == "EXPLAIN"
    return tokens.is_name(index + 1) and is_first


def _lists_relations(tokens: Tokens, comma: int) -> bool:
    """Returns whether the comma separates relations."""
    at = comma - 1
    while at >= tokens.group_start(comma):
        key = tokens.key(at)
        if key in _LISTS_RELATIONS or key in _LISTS_OTHERS:
            return key in _LISTS_RELATIONS
        at = tokens.match.get(at, at) - 1
    return False
