"""Finds the clauses of a text and lowers them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from sqlglot.errors import TokenError

from eddyline.errors import ClauseError
from eddyline.lowering import assume, cogroup, emit, globaltable, report, rules, streamingquery
from eddyline.lowering.edits import Edit, apply, in_order, mask_spans, separate_words
from eddyline.lowering.reader import Clause
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens, read_tokens


class ClauseModule(Protocol):
    """The names that the module of a clause offers."""

    ROLE: Role
    """The place where the clause stands."""

    STAND_IN: str
    """The text that replaces the clause where a text is only split into statements."""

    FIRST: frozenset[str]
    """The words that may be the first of the clause."""

    def starts(self, tokens: Tokens, index: int) -> bool:
        """Returns whether the word at `index` begins the clause; Spark has refused the text."""

    def read(self, tokens: Tokens, index: int) -> Clause:
        """Reads the clause at `index`. Raises `ClauseError`."""


# the clauses in the order in which they are tried: statements may contain the others
_CLAUSES: tuple[ClauseModule, ...] = (
    streamingquery,
    globaltable,
    report,
    rules,
    cogroup,
    emit,
    assume,
)
_BY_FIRST = {
    word: tuple(clause for clause in _CLAUSES if word in clause.FIRST)
    for word in frozenset().union(*(clause.FIRST for clause in _CLAUSES))
}

# statements whose rest Spark does not read as SQL, but as a key, a value or a path
_RAW = frozenset(["ADD", "LIST", "RESET", "SET"])
_VARIABLE = frozenset(["VAR", "VARIABLE"])


@dataclass(frozen=True)
class Lowering:
    """The lowering of a text with at least one clause.

    Attributes:
        sql: the lowered text, which Spark parses.
        edits: edits from the typed to the lowered text, in order; offsets count characters.
        masked: the typed text with every clause blanked out, of the same length.
    """

    sql: str
    edits: tuple[Edit, ...]
    masked: str


def read(sql: str, *, double_quoted_identifiers: bool = False) -> Lowering | None:
    """Lowers the clauses of `sql`.

    Args:
        sql: any text: a statement, a script, several statements.
        double_quoted_identifiers: whether "x" is a name and not a string, as in Spark with
            `spark.sql.ansi.doubleQuotedIdentifiers`.

    Returns:
        The lowering, or None if `sql` holds no clause.

    Raises:
        ClauseError: EDDYLINE_<CLAUSE>.* if a clause is not valid.
    """
    try:
        tokens = read_tokens(sql, double_quoted_identifiers=double_quoted_identifiers)
    except TokenError:
        return None  # Spark's parser says what is wrong
    clauses = list(find_clauses(tokens))
    if not clauses:
        return None
    closings = [clause.closing for clause in reversed(clauses) if clause.closing]
    edits = in_order([*(edit for clause in clauses for edit in clause.edits), *closings])
    edits = separate_words(sql, edits)
    return Lowering(apply(sql, edits), tuple(edits), _masked(sql, clauses))


_SHORTEST = "c"  # in the place of a statement that is not valid


def find_clauses(tokens: Tokens, *, refused: list[ClauseError] | None = None) -> Iterator[Clause]:
    """Yields the clauses from left to right.

    Args:
        tokens: the words of a text.
        refused: takes the error of each invalid clause, which then reaches to the end of its group
            and has no edits.

    Raises:
        ClauseError: EDDYLINE_<CLAUSE>.* if a clause is not valid and there is no such list.
    """
    taken: dict[int, int] = {}  # the end of the words that a clause has taken, by depth
    raw_until = 0
    for index, word in enumerate(tokens.words):
        if word.key in _RAW and _is_raw(tokens, index):
            raw_until = tokens.group_end(index)
        kinds = _BY_FIRST.get(word.key)
        if kinds is None or index < raw_until:
            continue
        depth = tokens.depth(index)
        if index < taken.get(depth, 0):  # the relations of a clause may carry claims
            kinds = tuple(kind for kind in kinds if kind.ROLE is Role.RELATION)
        kind = next((kind for kind in kinds if kind.starts(tokens, index)), None)
        if kind is None:
            continue
        try:
            clause = kind.read(tokens, index)
        except ClauseError as error:
            if refused is None:
                raise
            refused.append(error)
            end = tokens.group_end(index)
            stop = tokens.words[end - 1].stop
            stand_in = kind.STAND_IN
            if tokens.statement_start(index) == index:  # which must not be empty
                stand_in = stand_in or _SHORTEST
            clause = Clause(tokens.words[index].start, stop, end, stand_in=stand_in)
        taken[depth] = max(clause.end, taken.get(depth, 0))
        yield clause


def _is_raw(tokens: Tokens, index: int) -> bool:
    """Returns whether the word, one of `_RAW`, begins a statement whose rest is not SQL.

    It does so outside a script.
    """
    begins = index == 0 or tokens.key(index - 1) == ";"
    if not begins or tokens.key(index + 1) in _VARIABLE:
        return False
    return not tokens.any_keyword_before(index, "BEGIN")


def mask(sql: str, *, double_quoted_identifiers: bool = False) -> str:
    """Returns the text with every clause blanked out; an invalid one to the end of its group.

    The spark-sql CLI uses this text to split statements.

    >>> mask("COGROUP a BY ; SELECT 1")
    'TABLE c      ; SELECT 1'
    """
    tokens = read_tokens(sql, double_quoted_identifiers=double_quoted_identifiers)
    return _masked(sql, find_clauses(tokens, refused=[]))


def _masked(sql: str, clauses: Iterable[Clause]) -> str:
    return mask_spans(sql, [(clause.start, clause.stop, clause.stand_in) for clause in clauses])


def lower_sql(sql: str) -> str:
    """Returns the text that Spark parses instead of `sql`; `sql` itself if it has no clause.

    Raises:
        ClauseError: EDDYLINE_<CLAUSE>.* if a clause is not valid.

    >>> lower_sql("SELECT 1")
    'SELECT 1'
    """
    lowering = read(sql)
    return sql if lowering is None else lowering.sql
