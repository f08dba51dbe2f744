"""The tokens that sqlglot's parser of Spark SQL gets for a text with clauses.

They are the typed ones, with those of the lowering in the place of the words of a clause, and what
Spark knows around relations and sqlglot does not: streams, watermarks and TABLE queries. So each
node and each error of the parser has its place in the typed text.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sqlglot.errors import ParseError, TokenError, highlight_sql
from sqlglot.tokens import Token, TokenType

from eddyline.dialect.marks import BY, WATERMARK
from eddyline.errors import ClauseError
from eddyline.lowering import read
from eddyline.lowering.edits import Edit, in_order
from eddyline.lowering.reader import literal
from eddyline.lowering.relation import after_of
from eddyline.lowering.relations import relation_start, relation_starts
from eddyline.lowering.statements import statement_ends
from eddyline.lowering.tokenizer import tokenize
from eddyline.lowering.tokens import Tokens, read_tokens
from eddyline.lowering.words import JOIN_TYPES, SET_OPERATORS

_MORE_THAN_SQLGLOT = re.compile(r"\b(?:STREAM|WATERMARK|WINDOW)\b", re.IGNORECASE)
# what stands for PARTITION BY, which sqlglot does not know, before one key and before several
_KEYS = {"key": f"), {BY} => __eddyline_keys(", "keys": f"), {BY} => __eddyline_keys"}
_NO_NAME = (
    frozenset("AS JOIN LATERAL LIMIT OFFSET ON SELECT UNION USING WHERE".split())
    | JOIN_TYPES
    | {"GROUP BY", "ORDER BY"}
)
# words that are names unless this is the second word after them
_NAME_UNLESS = frozenset([("TIMESTAMP", "OF"), ("VERSION", "OF"), ("WINDOW", "AS")])
_BEFORE_QUERY = SET_OPERATORS | {"", ";", "ALL", "AS"}


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

    @property
    def is_script(self) -> bool:
        """Whether it holds statements, between BEGIN and END."""
        return len(self.tokens) > 1 and self.has(TokenType.SEMICOLON)

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
    kinds = _kinds_of_words(words)
    edits = [replace(edit, text=_KEYS.get(edit.argument, edit.text)) for edit in edits]
    edits = in_order([*edits, *_relation_edits(words, in_query=bool(edits))])
    if not edits and not kinds:
        return []
    tokens = tokenize(sql)
    for token in tokens:
        token.token_type = kinds.get(token.start, token.token_type)
    return list(_statements(sql, tokens, edits))


def _kinds_of_words(tokens: Tokens) -> dict[int, TokenType]:
    """Returns the kinds of tokens that sqlglot takes for something else, by their offsets.

    STREAM is a word that its Spark dialect does not know, but its parser does; where no relation
    follows, the parser takes it for a name. `window(…)` is a function.
    """
    kinds = {}
    relations = relation_starts(tokens)
    for index, word in enumerate(tokens.words):
        if word.key == "STREAM" and index in relations and _is_stream(tokens, index):
            kinds[word.start] = TokenType.STREAM
        elif word.key == "WINDOW" and tokens.key(index + 1) == "(":
            kinds[word.start] = TokenType.VAR
    return kinds


def _relation_edits(tokens: Tokens, *, in_query: bool) -> Iterator[Edit]:
    """Yields the edits that make calls of watermarks, and a SELECT of `TABLE t` beside a clause."""
    for index, word in enumerate(tokens.words):
        if word.key == "WATERMARK":
            yield from _watermark(tokens, index)
        elif in_query and word.key == "TABLE" and _is_query(tokens, index):
            yield Edit(word.start, word.stop, "SELECT * FROM")


def _watermark(tokens: Tokens, index: int) -> Iterator[Edit]:
    """Yields the edits that open and close a call around a relation with a watermark."""
    first, after = relation_start(tokens, index), after_of(tokens, index, len(tokens))
    if first is None or after is None or after > tokens.group_end(index):
        return
    opening = tokens.words[first].start
    start, stop = tokens.words[index].start, tokens.words[after - 1].stop
    yield Edit(opening, opening, f"{WATERMARK}(TABLE(SELECT * FROM")
    yield Edit(start, stop, f"), {WATERMARK} => {literal(tokens.sql[start:stop])})")


def _is_stream(tokens: Tokens, index: int) -> bool:
    """Returns whether STREAM, which begins a relation, makes a stream of what follows it."""
    follower = tokens.key(index + 1)
    if follower == "(":
        return True
    named = tokens.is_name(index + 1) and follower not in _NO_NAME
    return named and (follower, tokens.key(index + 3)) not in _NAME_UNLESS


def _is_query(tokens: Tokens, index: int) -> bool:
    """Returns whether TABLE at `index` begins a query."""
    is_first = tokens.key(index - 1) in _BEFORE_QUERY or tokens.key(index - 2) == "EXPLAIN"
    return tokens.is_name(index + 1) and is_first


def _statements(sql: str, tokens: list[Token], edits: Iterable[Edit]) -> Iterator[Statement]:
    rest = deque(edits)
    for start, stop, typed in _split(sql, tokens):
        own = []
        while rest and rest[0].start <= stop:
            own.append(rest.popleft())
        yield Statement(sql, start, stop, _edited(typed, own), own)


def _split(sql: str, tokens: list[Token]) -> Iterator[tuple[int, int, list[Token]]]:
    """Yields the start, stop and tokens of each statement.

    As for sqlglot's parser, comments after a semicolon are a statement of their own.
    """
    ends = {end.end() - 1 for end in statement_ends(sql)}
    start, inside = 0, []
    for token in tokens:
        if token.token_type != TokenType.SEMICOLON or token.start not in ends:
            inside.append(token)
            continue
        yield start, token.start, inside
        if token.comments:
            yield token.start, token.end + 1, [token]
        start, inside = token.end + 1, []
    if inside or not start:
        yield start, len(sql), inside


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
