"""Finds where the clauses of a query begin, for which a formatter begins a line."""

from __future__ import annotations

from eddyline.formatting.atoms import Atom, top_level
from eddyline.lowering import emit
from eddyline.lowering.query import begins_query
from eddyline.lowering.tokens import Tokens
from eddyline.lowering.words import JOIN_TYPES, SELECTS, SET_OPERATORS, SORTS

_CLAUSES = frozenset(
    "AGGREGATE COGROUP FROM HAVING INSERT LIMIT OFFSET QUALIFY SELECT VALUES WHERE WITH |>".split()
) | {*SORTS, "GROUP BY"}
_BEFORE_RELATION = frozenset(["COGROUP", "FROM", "JOIN", ","])
# words that begin a clause unless they follow certain words
_UNLESS = {"FROM": frozenset(["DELETE", "DISTINCT"]), "VALUES": _BEFORE_RELATION}
# words that begin a clause only with a certain word after them
_ONLY_BEFORE = {"LATERAL": (1, "VIEW"), "WINDOW": (2, "AS")}
_JOIN_WORDS = JOIN_TYPES | {"ASOF"}
# clauses whose bodies are lists
_LISTS = SORTS | {"AGGREGATE", "COGROUP", "FROM", "GROUP BY", "SELECT", "VALUES", "WITH"}
# words that stay on the line of a clause's first word
_AFTER_HEAD = frozenset(["ALL", "DISTINCT", "RECURSIVE", "VALUES"])
_QUERIES = SELECTS | {"WITH"}
# the first words of statements that hold a query, before which the rest of the statement stands
_HOLDERS = frozenset(["CACHE", "CREATE", "EXPLAIN", "INSERT", "START", "VALIDATE"])
# words of the head of a statement that begin a line if the head takes several
_OF_HEAD = frozenset(
    "CHECKPOINT COMMENT LOCATION MAX OPTIONS PARTITIONED REFRESH RESET TBLPROPERTIES TRIGGER "
    "USING".split()
) | {"PARTITIONED BY", "PRIMARY KEY"}
# words of EMIT that begin a line if it takes several
_OF_EMIT = emit.BEGIN_LINE


def is_query(atoms: list[Atom]) -> bool:
    """Returns whether atoms begin as a query does."""
    first = next((atom for atom in atoms if atom.index >= 0), None)
    return first is not None and first.key in _QUERIES


def is_laid_out(atoms: list[Atom]) -> bool:
    """Returns whether a statement is one that a formatter lays out; others stay as typed."""
    first = next((atom for atom in atoms if atom.index >= 0), None)
    return first is not None and (first.key in _QUERIES | _HOLDERS or first.key == "(")


def is_list(clause: list[Atom]) -> bool:
    """Returns whether the body of a clause is a list."""
    return clause[0].key in _LISTS


def head_length(clause: list[Atom]) -> int:
    """Returns the number of atoms of the words that begin a clause, as in SELECT DISTINCT."""
    length = 1
    while length < len(clause) and clause[length].key in _AFTER_HEAD:
        length += 1
    return length


def query_start(tokens: Tokens, atoms: list[Atom]) -> int | None:
    """Returns the position of the query's first atom in a statement that holds one, or None."""
    first = next((atom for atom in atoms if atom.index >= 0), None)
    if first is None or first.key not in _HOLDERS:
        return None
    for position in top_level(atoms):
        atom = atoms[position]
        after_head = position > 0 and atom.index >= 0
        if after_head and atom.key != "(" and begins_query(tokens, atom.index):
            return position
    return None


def head_starts(tokens: Tokens, atoms: list[Atom]) -> list[int]:
    """Returns the positions in the head of a statement where lines may begin."""
    found = []
    for position in top_level(atoms):
        atom = atoms[position]
        named = tokens.key(atom.index - 1) in (".", "TABLE", "QUERY", "EXISTS")
        duplicate = atom.key == "ON" and tokens.key(atom.index + 1) in ("DUPLICATE", "STALE")
        is_sink = atom.key == "AS" and tokens.key(atom.index + 1) in ("INSERT", "UPSERT")
        if position and not named and (atom.key in _OF_HEAD or duplicate or is_sink):
            found.append(position)
    return found


def clause_starts(tokens: Tokens, atoms: list[Atom]) -> list[int]:
    """Returns the positions of the atoms that begin clauses of a query; EMIT is the last one."""
    found = []
    for position in top_level(atoms):
        atom = atoms[position]
        if atom.index >= 0 and _begins_clause(tokens, atom.index):
            found.append(position)
            if emit.starts(tokens, atom.index):
                break
    return found


def option_starts(tokens: Tokens, atoms: list[Atom]) -> list[int]:
    """Returns the positions in EMIT where lines may begin."""
    return [
        position
        for position in top_level(atoms)
        if atoms[position].key in _OF_EMIT and not tokens.expects_operand(atoms[position].index)
    ]


def _begins_clause(tokens: Tokens, index: int) -> bool:
    key, before = tokens.key(index), tokens.key(index - 1)
    if "." in (before, tokens.key(index + 1)) or (before == "AS" and key not in _QUERIES):
        return False
    if key in SET_OPERATORS:
        follower = tokens.key(index + 2 if tokens.key(index + 1) == "(" else index + 1)
        return before not in ("*", "CHANGE") and follower in {"ALL", "DISTINCT", "("} | _QUERIES
    if key == "JOIN" or key in _JOIN_WORDS:
        return _begins_join(tokens, index)
    if key in _UNLESS:
        return before not in _UNLESS[key]
    if key in _ONLY_BEFORE:
        at, follower = _ONLY_BEFORE[key]
        return tokens.key(index + at) == follower
    return emit.starts(tokens, index) or (key in _CLAUSES and not _is_operand(tokens, index))


def _is_operand(tokens: Tokens, index: int) -> bool:
    """Returns whether the word is a name where an operand must stand."""
    return tokens.expects_operand(index) and tokens.key(index) not in _QUERIES


def _begins_join(tokens: Tokens, index: int) -> bool:
    """Returns whether the words of a join begin at `index`."""
    if tokens.key(index - 1) in _JOIN_WORDS:
        return False
    at = index
    while tokens.key(at) in _JOIN_WORDS:
        at += 1
    return tokens.key(at) == "JOIN" and not tokens.expects_operand(index)
