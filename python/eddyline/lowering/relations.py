"""Finds where the relations of a text begin."""

from __future__ import annotations

from eddyline.lowering import cogroup
from eddyline.lowering.relation import read_primary
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import SET_OPERATORS, SORTS, TRANSFORMS

# words after which a comma no longer separates the relations of FROM
_ENDS_FROM = (
    SET_OPERATORS
    | SORTS
    | TRANSFORMS
    | {"AGGREGATE", "GROUP BY", "INSERT", "SELECT", "SET", "VIEW", "WHERE", "WINDOW", "|>"}
)
_ENDS = {
    "FROM": _ENDS_FROM,
    "COGROUP": frozenset(["AGGREGATE"]),
    "MERGE": frozenset(["USING"]),
}
# words before a FROM that is a name or a part of IS DISTINCT FROM
_NO_FROM_AFTER = frozenset([".", "AS", "DISTINCT"])
# words of a query that a relation does not contain
_INSIDE_QUERY = frozenset(["HAVING", "LIMIT", "ON", "SELECT", "SET", "USING", "WHERE"]) | {
    "GROUP BY",
    "ORDER BY",
}


def relation_start(tokens: Tokens, index: int) -> int | None:
    """Returns the index of the first word of the relation that ends before `index`, or None.

    >>> from eddyline.lowering.tokens import read_tokens
    >>> tokens = read_tokens("SELECT 1 FROM a, VALUES (1), (2) AS v(k) ASSUME")
    >>> relation_start(tokens, len(tokens) - 1)
    5
    """
    starts = relation_starts(tokens)
    first = index - 1
    while first >= 0:
        key, follower = tokens.key(first), tokens.key(first + 1)
        first = min(first, tokens.match.get(first, first))
        if first in starts:
            return first
        ends = key in _INSIDE_QUERY and not tokens.expects_operand(first)
        of_other = (key == "ASSUME" and follower.startswith("PARTITION")) or (
            key == "LATERAL" and follower == "VIEW"
        )
        if key == ";" or ends or of_other or tokens.match.get(first, first) > index:
            return None
        first -= 1
    return None


def relation_starts(tokens: Tokens) -> frozenset[int]:
    """Returns the indexes of the words that begin a relation.

    These are the words after FROM, COGROUP, JOIN, LATERAL and the USING of a MERGE, after a comma
    between relations, and after a bracket that begins a relation.

    >>> from eddyline.lowering.tokens import read_tokens
    >>> sql = "SELECT x, y FROM VALUES (1), (2) AS v(k), a JOIN b ON v.k = b.k, (c) WHERE f(x, y)"
    >>> tokens = read_tokens(sql)
    >>> [tokens.words[index].text for index in sorted(relation_starts(tokens))]
    ['VALUES', 'a', 'b', '(', 'c']
    """
    return tokens.once(_relation_starts, 0)


def _relation_starts(tokens: Tokens, first: int) -> frozenset[int]:
    starts: set[int] = set()
    outer: list[tuple[str, int]] = []
    head, rows_end = "", 0  # the word before the relations, and where the rows of VALUES end
    begins = False
    for index in range(first, len(tokens)):
        key, partner = tokens.key(index), tokens.match.get(index, index)
        if begins:
            starts.add(index)
        if partner > index:
            outer.append((head, rows_end))
            head, rows_end = "", 0
            continue  # what begins with a bracket begins again inside
        if partner < index:
            head, rows_end = outer.pop()
        if begins and key == "VALUES":
            rows_end, _ = read_primary(tokens, index, tokens.group_end(index))
        is_keyword = key == "SELECT" or not tokens.expects_operand(index)
        begins = (
            (key == "," and head in ("FROM", "COGROUP") and index >= rows_end)
            or (key == "USING" and head == "MERGE")
            or (key == "LATERAL" and begins)
            or (key == "JOIN" and is_keyword)
        )
        if _is_head(tokens, index):
            head, rows_end, begins = key, 0, key != "MERGE"
        elif key == ";" or (head and key in _ENDS[head] and is_keyword):
            head = ""
    return frozenset(starts)


def _is_head(tokens: Tokens, index: int) -> bool:
    """Returns whether relations follow the word at `index`, or a MERGE begins there."""
    key = tokens.key(index)
    if key == "FROM":
        return tokens.key(index - 1) not in _NO_FROM_AFTER
    if key == "MERGE":
        return tokens.key(index + 1) in ("INTO", "WITH") and not tokens.expects_operand(index)
    return key == "COGROUP" and cogroup.starts(tokens, index)
