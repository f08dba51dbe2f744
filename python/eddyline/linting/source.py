"""A text as the rules see it: its words, the clauses among them, and what its comments silence."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from eddyline.comments import comments, without_jinja
from eddyline.errors import ClauseError
from eddyline.lowering import find_clauses
from eddyline.lowering.query import after_verb, begins_query
from eddyline.lowering.tokens import Tokens, read_tokens

ALL = "ALL"
_NOQA = re.compile(r"\beddyline:\s*noqa\b:?((?:[\s,]*\bEL\d\d\b)*)", re.IGNORECASE)
_ID = re.compile(r"EL\d\d", re.IGNORECASE)


@dataclass(frozen=True)
class Found:
    """A valid clause.

    Attributes:
        first: index of its first word.
        end: index of the word after it; of a statement with a query, that of the query.
    """

    first: int
    end: int


@dataclass(frozen=True)
class Source:
    """A text, split into words.

    Attributes:
        sql: the text as typed.
        tokens: its words, with names in the place of Jinja.
        clauses: its valid clauses, from left to right.
        refused: the errors of the others, one a statement.
        silenced: ids of the rules that a comment silences, by line; ALL stands for every rule.
        lines: offset of the first character of each line.
    """

    sql: str
    tokens: Tokens
    clauses: tuple[Found, ...]
    refused: tuple[ClauseError, ...]
    silenced: dict[int, frozenset[str]]
    lines: tuple[int, ...]

    def place(self, offset: int) -> tuple[int, int]:
        """Returns the line and the column, both from 1, of a character."""
        line = bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1

    def clauses_of(self, word: str) -> list[Found]:
        """Returns the clauses that begin with the keyword."""
        return [found for found in self.clauses if self.tokens.key(found.first) == word]

    def statements_of(self, verbs: frozenset[str], *nouns: str) -> list[tuple[Found, int]]:
        """Returns the statements verb [OR REPLACE] nouns [IF NOT EXISTS], and the indexes after."""
        found = []
        for clause in self.clauses:
            at = after_verb(self.tokens, clause.first)
            is_verb = self.tokens.key(clause.first) in verbs
            if is_verb and tuple(self.tokens.key(at + i) for i in range(len(nouns))) == nouns:
                at += len(nouns)
                found.append((clause, at + 3 if self.tokens.key(at) == "IF" else at))
        return found

    def outside_queries(
        self, first: int, stop: int, enters: Callable[[int], bool] | None = None
    ) -> Iterator[int]:
        """Yields the indexes in [first, stop) that lie in no subquery.

        Args:
            first: index of the first word.
            stop: index after the last word.
            enters: whether the words of the subquery that opens at an index are yielded, too.
        """
        while first < stop:
            yield first
            opens = self.tokens.key(first) == "(" and self.tokens.key(first + 1) != "("
            is_query = opens and begins_query(self.tokens, first + 1)
            skips = is_query and not (enters and enters(first))
            first = self.tokens.after(first) if skips else first + 1

    def dotted_name(self, index: int) -> tuple[str, ...]:
        """Returns the parts of the name at `index`, in lower case."""
        words, parts = self.tokens.words, []
        while self.tokens.is_name(index):
            parts.append(words[index].name.lower())
            index += 2
            if self.tokens.key(index - 1) != ".":
                break
        return tuple(parts)


def read_source(sql: str) -> Source:
    """Reads a text. Raises `sqlglot.errors.TokenError`, as on an unclosed string."""
    tokens = _read_words(sql)
    refused: list[ClauseError] = []
    places = {word.start: index for index, word in enumerate(tokens.words)}
    clauses = [
        Found(places[clause.start], clause.end)
        for clause in find_clauses(tokens, refused=refused)
        if clause.edits
    ]
    lines = (0, *(found.end() for found in re.finditer("\n", sql)))
    silenced = _silenced(sql, tokens, lines)
    return Source(sql, tokens, tuple(clauses), _firsts(tokens, refused), silenced, lines)


def _firsts(tokens: Tokens, refused: list[ClauseError]) -> tuple[ClauseError, ...]:
    """Returns the first error of each statement, which may be the reason for the others."""
    starts = [word.start for word in tokens.words]
    found: dict[int, ClauseError] = {}
    for error in refused:
        index = bisect_right(starts, error.start) - 1
        found.setdefault(tokens.statement_start(index), error)
    return tuple(found.values())


def _read_words(sql: str) -> Tokens:
    """Returns the words, without the Jinja before a statement, such as a call of config."""
    masked, places = without_jinja(sql)
    tokens = read_tokens(masked)
    parts, stop, begins = list[str](), 0, True
    for word in tokens.words:
        if begins and word.stop in places and sql.startswith("{{", word.start):
            parts += [masked[stop : word.start], " " * len(word.text)]
            stop = word.stop
        else:
            begins = word.key == ";"
    return read_tokens("".join([*parts, masked[stop:]])) if parts else tokens


def _silenced(sql: str, tokens: Tokens, lines: tuple[int, ...]) -> dict[int, frozenset[str]]:
    """Returns the ids that comments silence, by the line for which each comment is.

    A comment on a line of its own is for the line of the next word, else for its own line.
    """
    found: dict[int, frozenset[str]] = {}
    stop = 0
    for word in [*tokens.words, None]:
        following = len(sql) if word is None else word.start
        for first, last in comments(sql, stop, following):
            noqa = _NOQA.search(sql, first, last)
            if noqa is None:
                continue
            ids = frozenset(each.upper() for each in _ID.findall(noqa[1])) or frozenset([ALL])
            begin = lines[bisect_right(lines, first) - 1]
            line = bisect_right(lines, first if sql[begin:first].strip() else following)
            found[line] = found.get(line, frozenset()) | ids
        stop = following if word is None else word.stop
    return found
