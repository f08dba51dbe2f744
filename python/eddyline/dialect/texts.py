"""The text that sqlglot parses instead of a typed one, and the way back to what was typed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from sqlglot.errors import ParseError, TokenError
from sqlglot.tokens import Token, TokenType

from eddyline.dialect.marks import BY, STREAM, WINDOW
from eddyline.errors import ClauseError
from eddyline.lowering import read
from eddyline.lowering.assume import relation_start
from eddyline.lowering.edits import Edit, apply
from eddyline.lowering.relation import after_of, read_primary
from eddyline.lowering.tokenizer import with_comments_of_one_line
from eddyline.lowering.tokens import Tokens, read_tokens

_BEFORE_RELATION = frozenset(["COGROUP", "FROM", "JOIN", "LATERAL", ",", "("])
# words after which a comma separates relations
_LISTS_RELATIONS = frozenset(["COGROUP", "FROM"])
_LISTS_OTHERS = frozenset(["AGGREGATE", "SELECT", "SET", "VALUES", "GROUP BY", "ORDER BY", "ON"])
_NO_NAME = frozenset(
    "AS CROSS FULL INNER JOIN LEFT LIMIT ON RIGHT SELECT UNION USING WHERE".split()
) | {"GROUP BY", "ORDER BY"}
_BEFORE_QUERY = frozenset(["", ";", "ALL", "AS", "EXCEPT", "INTERSECT", "MINUS", "UNION"])
_MORE_THAN_SQLGLOT = re.compile(r"\b(?:STREAM|WATERMARK|WINDOW)\b", re.IGNORECASE)
# what stands for PARTITION BY, which sqlglot does not know, before one key and before several
_KEYS = {"key": f" ), {BY} => __eddyline_keys (", "keys": f" ), {BY} => __eddyline_keys "}
_CONTEXT = 100


@dataclass(frozen=True)
class Text:
    """A typed text and what sqlglot parses.

    Attributes:
        typed: the text as typed.
        edits: edits from the typed text to the one that is parsed, in order.
    """

    typed: str
    edits: tuple[Edit, ...]

    @cached_property
    def parsed(self) -> str:
        """The text that sqlglot parses."""
        return with_comments_of_one_line(apply(self.typed, self.edits))

    def place(self, offset: int) -> int:
        """Returns the offset in the typed text of a character of the parsed one."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return offset
        edit = self.edits[index]
        behind = offset - self._starts[index] - len(edit.text)
        return edit.start if behind < 0 else edit.stop + behind

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Returns the line and column, both from 1, of a character of the typed text."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def edits_between(self, start: int, stop: int) -> list[Edit]:
        """Returns the edits of the typed characters [start, stop]."""
        first = bisect_left(self.edits, start, key=lambda edit: edit.start)
        last = bisect_right(self.edits, stop, key=lambda edit: edit.start)
        return [edit for edit in self.edits[first:last] if edit.stop <= stop]

    @cached_property
    def _lines(self) -> list[int]:
        """The offset in the typed text of each line."""
        return [0, *(found.end() for found in re.finditer("\n", self.typed))]

    @cached_property
    def _starts(self) -> list[int]:
        """The offset in the parsed text of each edit."""
        starts, moved = [], 0
        for edit in self.edits:
            starts.append(edit.start + moved)
            moved += len(edit.text) - (edit.stop - edit.start)
        return starts

    def error(self, error: ParseError) -> ParseError:
        """Returns sqlglot's error about the parsed text as one about the typed text."""
        found = error.errors[0] if error.errors else {}
        if not self.edits or not found.get("line"):
            return error
        lines = self.parsed.split("\n")
        last = sum(len(line) + 1 for line in lines[: found["line"] - 1]) + found["col"] - 1
        length = max(1, len(found.get("highlight") or ""))
        start = self.place(max(0, last - length + 1))
        return parse_error(found["description"], self.typed, start, self.place(last) + 1)


def parse_error(description: str, text: str, start: int, stop: int) -> ParseError:
    """Returns sqlglot's error at the characters [start, stop); its column is that of the last."""
    stop = max(stop, start + 1) if start < len(text) else stop
    line = text.count("\n", 0, max(start, stop - 1)) + 1
    col = stop - (text.rfind("\n", 0, max(start, stop - 1)) + 1)
    before, highlight = text[max(0, start - _CONTEXT) : start], text[start:stop]
    after = text[stop : stop + _CONTEXT]
    return ParseError.new(
        f"{description} Line {line}, Col: {col}.\n  {before}\033[4m{highlight}\033[0m{after}",
        description=description,
        line=line,
        col=col,
        start_context=before,
        highlight=highlight,
        end_context=after,
    )


def prepare(sql: str) -> Text | None:
    """Returns what sqlglot parses instead of `sql`; None if that is `sql` itself.

    Raises:
        ParseError: EDDYLINE_<CLAUSE>.* if a clause is not valid.
    """
    try:
        lowering = read(sql)
    except ClauseError as error:
        raise parse_error(error.args[0], sql, error.start, error.stop) from error
    edits = [] if lowering is None else [_parsable(edit) for edit in lowering.edits]
    openings, closings = _calls(sql, edits)
    every = sorted([*closings, *edits, *openings], key=lambda edit: (edit.start, edit.stop))
    return Text(sql, tuple(every)) if every else None


def _parsable(edit: Edit) -> Edit:
    """Returns an edit of the lowering with the keys of a branch as an argument of its own."""
    text = _KEYS.get(edit.argument, edit.text)
    return Edit(edit.start, edit.stop, text, edit.argument)


def _calls(sql: str, edits: list[Edit]) -> tuple[list[Edit], list[Edit]]:
    """Returns the edits for what Spark knows and sqlglot does not.

    A stream and a watermark become calls, `window(…)` a function of another name, and `TABLE t` a
    SELECT.

    Args:
        sql: the text.
        edits: edits of the lowering, whose words are those of clauses.

    Returns:
        the edits that open a call or replace words, and those that close a call.
    """
    openings: list[Edit] = []
    closings: list[Edit] = []
    if not edits and not _MORE_THAN_SQLGLOT.search(sql):
        return openings, closings
    try:
        tokens = read_tokens(sql)
    except TokenError:
        return openings, closings
    of_clauses = {edit.start for edit in edits if edit.start < edit.stop}
    taken = -1
    for index, word in enumerate(tokens.words):
        key, follower = word.key, tokens.key(index + 1)
        if key == "STREAM" and _is_stream(tokens, index, of_clauses):
            taken = _stream(tokens, index, openings, closings)
        elif key == "WATERMARK" and index != taken:
            _watermark(tokens, index, openings, closings)
        elif key == "WINDOW" and follower == "(":
            openings.append(Edit(word.start, word.stop, WINDOW))
        elif key == "TABLE" and edits and _is_query(tokens, index):
            openings.append(Edit(word.start, word.stop, "SELECT * FROM"))
    return openings, closings


def _stream(tokens: Tokens, index: int, openings: list[Edit], closings: list[Edit]) -> int:
    """Opens and closes a call around the stream at `index`; returns the index after it."""
    word, words = tokens.words[index], tokens.words
    end, _ = read_primary(tokens, index)
    if tokens.key(end) == "WITH" and tokens.key(end + 1) == "(":
        end = tokens.after(end + 1)
    opening = f"{STREAM}(TABLE(SELECT * FROM"
    openings.append(Edit(word.start, word.stop, opening))
    bracket = words[index + 1]
    if bracket.key == "(" and tokens.after(index + 1) == end:
        openings.append(Edit(bracket.start, bracket.stop, " "))
        openings.append(Edit(words[end - 1].start, words[end - 1].stop, " "))
    closings.append(_closing(tokens, end, stream=True))
    return end


def _watermark(tokens: Tokens, index: int, openings: list[Edit], closings: list[Edit]) -> None:
    """Opens and closes a call around a relation with a watermark that is no stream."""
    first = relation_start(tokens, index)
    if first is None or after_of(tokens, index, len(tokens)) is None:
        return
    start = tokens.words[first].start
    openings.append(Edit(start, start, f"{STREAM}(TABLE(SELECT * FROM "))
    closings.append(_closing(tokens, index, stream=False))


def _closing(tokens: Tokens, index: int, *, stream: bool) -> Edit:
    """Returns the end of a call at `index`, with the watermark that may stand there."""
    after = None
    if tokens.key(index) == "WATERMARK":
        after = after_of(tokens, index, len(tokens))
    arguments = f"), stream => {str(stream).lower()}"
    if after is None:
        stop = tokens.words[index - 1].stop
        return Edit(stop, stop, f"{arguments})")
    start, stop = tokens.words[index].start, tokens.words[after - 1].stop
    typed = tokens.sql[start:stop].encode().hex()
    return Edit(start, stop, f"{arguments}, watermark => '{typed}')")


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


def statements(tokens: list[Token], stop: int) -> list[tuple[int, int, list[Token]]]:
    """Returns the start, stop and tokens of each statement, as sqlglot's parser splits a text.

    Args:
        tokens: tokens of the text.
        stop: length of the text.
    """
    found: list[tuple[int, int, list[Token]]] = []
    start, inside = 0, []
    for token in tokens:
        if token.token_type != TokenType.SEMICOLON:
            inside.append(token)
            continue
        found.append((start, token.start, inside))
        if token.comments:
            found.append((token.start, token.end + 1, [token]))
        start, inside = token.end + 1, []
    return [*found, (start, stop, inside)] if inside or not found else found


def is_script(sql: str) -> bool:
    """Returns whether a text is an SQL script, `BEGIN … END`, of which sqlglot has no tree."""
    tokens = read_tokens(sql)
    return tokens.key(0) == "BEGIN" and tokens.key(1) not in ("", ";", "TRANSACTION", "WORK")
