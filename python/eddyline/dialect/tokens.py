"""The tokens that sqlglot's parser of Spark SQL gets for a text with clauses.

They are the typed ones, with those of the lowering in the place of the words of a clause. So each
node and each error of the parser has its place in the typed text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sqlglot.errors import ParseError, TokenError, highlight_sql
from sqlglot.tokens import Token, TokenType

from eddyline.dialect.marks import BY
from eddyline.dialect.relations import kinds_of_words, relation_edits
from eddyline.errors import ClauseError
from eddyline.lowering import read
from eddyline.lowering.edits import Edit, in_order
from eddyline.lowering.tokenizer import tokenize
from eddyline.lowering.tokens import read_tokens

_MORE_THAN_SQLGLOT = re.compile(r"\b(?:STREAM|WATERMARK|WINDOW)\b", re.IGNORECASE)
# what stands for PARTITION BY, which sqlglot does not know, before one key and before several
_KEYS = {"key": f"), {BY} => __eddyline_keys(", "keys": f"), {BY} => __eddyline_keys"}


@dataclass(frozen=True)
class Statement:
    """One statement.

    Attributes:
        sql: the text in which it stands.
        start: offset of its first character.
        stop: offset after its last one.
        tokens: what sqlglot parses.
        edits: edits from the typed words to those that are parsed, in order.
    """

    sql: str
    start: int
    stop: int
    tokens: list[Token]
    edits: list[Edit]

    @property
    def typed(self) -> str:
        """The statement as typed."""
        return self.sql[self.start : self.stop].strip()

    @property
    def has_clause(self) -> bool:
        """Whether sqlglot's Spark dialect cannot read the statement by itself."""
        return bool(self.edits) or self.has(TokenType.STREAM)

    def has(self, kind: TokenType) -> bool:
        """Returns whether the statement has a token of a kind."""
        return any(token.token_type == kind for token in self.tokens)


def read_statements(sql: str) -> list[Statement]:
    """Returns the statements of a text; none if sqlglot's Spark dialect reads it by itself.

    Raises:
        ClauseError: EDDYLINE_<CLAUSE>.* if a clause is not valid.
    """
    lowering = read(sql)
    edits = [] if lowering is None else list(lowering.edits)
    if not edits and not _MORE_THAN_SQLGLOT.search(sql):
        return []
    try:
        words = read_tokens(sql)
    except TokenError:
        return []
    kinds = kinds_of_words(words, edits)
    edits = [replace(edit, text=_KEYS.get(edit.argument, edit.text)) for edit in edits]
    edits = in_order([*edits, *relation_edits(words, in_query=bool(edits))])
    if not edits and not kinds:
        return []
    tokens = tokenize(sql)
    for token in tokens:
        token.token_type = kinds.get(token.start, token.token_type)
    return list(_statements(sql, tokens, edits))


def _statements(sql: str, tokens: list[Token], edits: Iterable[Edit]) -> Iterator[Statement]:
    rest = deque(edits)
    for start, stop, typed in _split(tokens, len(sql)):
        own = []
        while rest and rest[0].start <= stop:
            own.append(rest.popleft())
        yield Statement(sql, start, stop, _edited(typed, own), own)


def _split(tokens: list[Token], stop: int) -> Iterator[tuple[int, int, list[Token]]]:
    """Yields the start, stop and tokens of each statement, as sqlglot's parser splits a text."""
    start, inside = 0, []
    for token in tokens:
        if token.token_type != TokenType.SEMICOLON:
            inside.append(token)
            continue
        yield start, token.start, inside
        if token.comments:
            yield token.start, token.end + 1, [token]
        start, inside = token.end + 1, []
    if inside or not start:
        yield start, stop, inside


def _edited(tokens: list[Token], edits: list[Edit]) -> list[Token]:
    """Returns tokens with those of edits, which have the places and comments of what they replace.

    The tokens of an insertion have the place of the next typed one.
    """
    found: list[Token] = []
    rest = deque(tokens)
    for edit in edits:
        found += _taken(rest, edit.start)
        replaced = _taken(rest, edit.stop)
        inserted = tokenize(edit.text)
        place = (replaced or rest or found[-1:])[0]
        for token in inserted:
            token.line, token.col = place.line, place.col
            token.start, token.end = place.start, place.end
        for token in inserted[:1] or found[-1:]:
            token.comments += [text for each in replaced for text in each.comments]
        found += inserted
    return [*found, *rest]


def _taken(tokens: deque[Token], stop: int) -> list[Token]:
    """Takes the tokens that begin before an offset."""
    found = []
    while tokens and tokens[0].start < stop:
        found.append(tokens.popleft())
    return found


def parse_error(error: ClauseError, sql: str) -> ParseError:
    """Returns sqlglot's error for that of a clause; its line and column are of the last character.

    Args:
        error: the error.
        sql: the text with the clause.
    """
    stop = max(error.stop, error.start + 1) if error.start < len(sql) else error.stop
    last = max(error.start, stop - 1)
    line, col = sql.count("\n", 0, last) + 1, stop - (sql.rfind("\n", 0, last) + 1)
    text, before, highlight, after = highlight_sql(sql, [(error.start, stop - 1)])
    return ParseError.new(
        f"{error.args[0]} Line {line}, Col: {col}.\n  {text}",
        description=error.args[0],
        line=line,
        col=col,
        start_context=before,
        highlight=highlight,
        end_context=after,
    )


def is_script(sql: str) -> bool:
    """Returns whether a text is an SQL script, `BEGIN … END`, of which sqlglot has no tree."""
    tokens = read_tokens(sql)
    return tokens.key(0) == "BEGIN" and tokens.key(1) not in ("", ";", "TRANSACTION", "WORK")
