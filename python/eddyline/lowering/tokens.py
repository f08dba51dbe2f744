"""The tokens of a text, as the scanners of the clauses see them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqlglot.tokens import TokenType

from eddyline.dialect import tokenize

_QUOTED = {
    TokenType.BIT_STRING,
    TokenType.BYTE_STRING,
    TokenType.HEX_STRING,
    TokenType.IDENTIFIER,
    TokenType.NATIONAL_STRING,
    TokenType.RAW_STRING,
    TokenType.STRING,
}
_OPEN = {"(": ")", "[": "]", "{": "}"}
_NAME = re.compile(r"[^\W\d]\w*\Z")

# Behind these an operand must follow, so the next word is a name and not a keyword. The first
# group may be names themselves, where an operand must follow: BY by AGGREGATE.
_INFIX = frozenset(
    (
        "AGGREGATE AND AS BETWEEN BY COGROUP DIV ESCAPE FROM HAVING ILIKE IN IS LIKE ON OR RLIKE "
        "USING WHERE"
    ).split()
)
_PREFIX = frozenset(
    (
        "ALL CASE DISTINCT ELSE EXISTS NOT SELECT THEN WHEN "
        ", ( [ . + - * / % = == < > <= >= <> != <=> | || & ^ ~ ! :: : => ->"
    ).split()
)


@dataclass(frozen=True)
class Word:
    """One token.

    Attributes:
        text: as typed.
        key: in upper case with single spaces, as keywords are compared; empty if quoted.
        start: offset of its first character.
        stop: offset behind its last character.
        quoted: a string or a quoted identifier.
        identifier: whether it can be a name.
    """

    text: str
    key: str
    start: int
    stop: int
    quoted: bool
    identifier: bool


@dataclass(frozen=True)
class Tokens:
    """A text and its words; `match` leads from each bracket to its partner."""

    sql: str
    words: tuple[Word, ...]
    match: dict[int, int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)

    def key(self, index: int) -> str:
        """The keyword at `index`; empty beyond both ends and for quoted words."""
        return self.words[index].key if 0 <= index < len(self.words) else ""

    def is_name(self, index: int) -> bool:
        """Whether the word at `index` can be a name."""
        return 0 <= index < len(self.words) and self.words[index].identifier

    def after(self, index: int) -> int:
        """The index behind the word, or behind the bracket group that it opens."""
        return self.match.get(index, index) + 1 if self.key(index) in _OPEN else index + 1

    def group_end(self, index: int) -> int:
        """The index of the word that ends the group around `index`: `)`, `;` or the end."""
        while index < len(self) and self.key(index) not in (")", "]", "}", ";"):
            index = self.after(index)
        return index

    def expects_operand(self, index: int) -> bool:
        """Whether the word at `index` stands where an operand must, so that it is no keyword."""
        before = self.key(index - 1)
        return before in _PREFIX or (before in _INFIX and not self.expects_operand(index - 1))

    def span(self, first: int, stop: int) -> str:
        """The text of the words [first, stop)."""
        return self.sql[self.words[first].start : self.words[stop - 1].stop]


def read_tokens(sql: str) -> Tokens:
    """Split `sql` into words. Raises `sqlglot.errors.TokenError`, as on an unclosed string."""
    words, match, stack = [], {}, []
    for index, token in enumerate(tokenize(sql)):
        text = sql[token.start : token.end + 1]
        quoted = token.token_type in _QUOTED
        key = "" if quoted else " ".join(text.upper().split())
        identifier = token.token_type == TokenType.IDENTIFIER or (
            not quoted and _NAME.match(text) is not None
        )
        words.append(Word(text, key, token.start, token.end + 1, quoted, identifier))
        if key in _OPEN:
            stack.append(index)
        elif key in _OPEN.values() and stack and _OPEN[words[stack[-1]].key] == key:
            opening = stack.pop()
            match[opening], match[index] = index, opening
    return Tokens(sql, tuple(words), match)
