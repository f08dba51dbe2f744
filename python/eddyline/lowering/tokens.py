"""The tokens of a text, as the readers of the clauses see them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from sqlglot.tokens import TokenType

from eddyline.lowering.roles import OPERAND_FOLLOWS
from eddyline.lowering.tokenizer import tokenize

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
_WITH_BY = frozenset(
    ["CLUSTER", "DISTRIBUTE", "GROUP", "ORDER", "PARTITION", "PARTITIONED", "SORT"]
)
_CLOSE = frozenset([*_OPEN.values(), ";"])
_NAME = re.compile(r"\d*[^\W\d]\w*\Z")

# Words that an operand must follow, so that the next word is a name and not a keyword. Those of the
# first group may themselves be names where an operand must follow: BY by AGGREGATE.
_INFIX = (
    frozenset(
        (
            "AND AS BETWEEN BY DIV ESCAPE FROM HAVING ILIKE IN IS LIKE ON OR RLIKE USING WHERE"
        ).split()
    )
    | OPERAND_FOLLOWS
)
_PREFIX = frozenset(
    (
        "ALL CASE DISTINCT ELSE EXISTS NOT SELECT THEN WHEN "
        ", ( [ . + - * / % = == < > <= >= <> != <=> | || & ^ ~ ! :: : => ->"
    ).split()
) | {f"{word} BY" for word in _WITH_BY}
# words before a `*` that stands for columns and is no operator
_BEFORE_STAR = frozenset(["ALL", "DISTINCT", "SELECT", ",", "."])
# words after which ALL ends the clause, so that no operand follows it
_BEFORE_ALL = frozenset(["GROUP BY", "LIMIT", "ORDER BY"])

_T = TypeVar("_T")


class Word(NamedTuple):
    """One token.

    Attributes:
        text: the word as typed.
        key: the word in upper case with single spaces, to compare keywords; empty if quoted.
        start: offset of its first character.
        stop: offset after its last character.
        quoted: whether it is a string or a quoted identifier.
        identifier: whether it can be a name.
    """

    text: str
    key: str
    start: int
    stop: int
    quoted: bool
    identifier: bool

    @property
    def name(self) -> str:
        """The text without the quotes of an identifier.

        >>> Word("`it``s`", "", 0, 7, True, True).name
        'it`s'
        """
        quote = self.text[0]
        if quote not in '`"':
            return self.text
        return self.text[1:-1].replace(quote * 2, quote)


@dataclass(frozen=True)
class Tokens:
    """A text and its words; `match` has for the index of each bracket that of its partner.

    What is asked of every word is computed once, so that a text is read in linear time: whatever
    reads more than a few words back or ahead belongs here.
    """

    sql: str
    words: tuple[Word, ...]
    match: dict[int, int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.words)

    def key(self, index: int) -> str:
        """Returns the keyword at `index`; empty beyond both ends and for quoted words."""
        return self.words[index].key if 0 <= index < len(self.words) else ""

    def is_name(self, index: int) -> bool:
        """Returns whether the word at `index` can be a name."""
        return 0 <= index < len(self.words) and self.words[index].identifier

    def after(self, index: int) -> int:
        """Returns the index after the word, or after the bracket group that it opens."""
        return self.match.get(index, index) + 1 if self.key(index) in _OPEN else index + 1

    def top_level(self, first: int, stop: int) -> list[int]:
        """Returns the indexes in [first, stop) that lie in no bracket group opened there."""
        indexes = []
        while first < stop:
            indexes.append(first)
            first = self.after(first)
        return indexes

    def depth(self, index: int) -> int:
        """Returns the number of bracket groups that are open at the word."""
        return self._depths[index]

    def group_end(self, index: int) -> int:
        """Returns the index of the word that ends the group around `index`: `)`, `;` or the end."""
        return self._group_ends[index] if index < len(self) else len(self)

    def group_start(self, index: int) -> int:
        """Returns the index of the first word of the group around `index`, after `(` or `;`."""
        return self._group_starts[index]

    def statement_start(self, index: int) -> int:
        """Returns the index of the first word of the statement around `index` and its brackets."""
        return self._statement_starts[self._group_starts[index]]

    def find(self, index: int, test: Callable[[Tokens, int], bool]) -> int:
        """Returns the index of the first word from `index` on in its group that passes `test`.

        If no word does, it returns the length of the text in words.
        """
        if test not in self._passing:
            found = [len(self)] * (len(self) + 1)
            for at in range(len(self) - 1, -1, -1):
                if test(self, at):
                    found[at] = at
                elif self.key(at) not in _CLOSE:
                    found[at] = found[self.after(at)]
            self._passing[test] = found
        return self._passing[test][index] if index < len(self) else len(self)

    def once(self, function: Callable[[Tokens, int], _T], index: int) -> _T:
        """Returns `function` of this text and the index, computed at the first call only."""
        results = self._results.setdefault(function, {})
        if index not in results:
            results[index] = function(self, index)
        result: _T = results[index]
        return result

    def expects_operand(self, index: int) -> bool:
        """Returns whether an operand must stand at `index`, so that the word is no keyword."""
        return index < len(self) and self._operands[index]

    def any_keyword_before(self, index: int, key: str) -> bool:
        """Returns whether the keyword stands anywhere before the word at `index`."""
        return self._firsts.get(key, index) < index

    @cached_property
    def _firsts(self) -> dict[str, int]:
        return {word.key: index for index, word in reversed(list(enumerate(self.words)))}

    @cached_property
    def _depths(self) -> list[int]:
        depths, depth = [], 0
        for index in range(len(self)):
            depth -= index in self.match and self.key(index) in _CLOSE
            depths.append(depth)
            depth += index in self.match and self.key(index) in _OPEN
        return depths

    @cached_property
    def _group_ends(self) -> list[int]:
        ends = [0] * len(self) + [len(self)]
        for index in range(len(self) - 1, -1, -1):
            closes = self.key(index) in _CLOSE
            ends[index] = index if closes else ends[self.after(index)]
        return ends

    @cached_property
    def _group_starts(self) -> list[int]:
        starts, outer, first = [], [], 0
        for index in range(len(self)):
            starts.append(first)
            partner = self.match.get(index, index)
            if partner > index:
                outer.append(first)
                first = index + 1
            elif partner < index:
                first = outer.pop()
            elif self.key(index) == ";":
                first = index + 1
        return starts

    @cached_property
    def _statement_starts(self) -> dict[int, int]:
        """The first words of statements, by the first word of each group."""
        starts = {0: 0}
        for index in range(len(self)):
            if self.match.get(index, index) > index:
                starts[index + 1] = starts[self._group_starts[index]]
            elif self.key(index) == ";":
                starts[index + 1] = index + 1
        return starts

    @cached_property
    def _operands(self) -> list[bool]:
        operands = [False] * len(self)
        for index in range(1, len(self)):
            before = self.key(index - 1)
            infix = before in _INFIX and not operands[index - 1]
            prefix = before in _PREFIX and not self._ends_operand(index - 1)
            operands[index] = infix or prefix
        return operands

    def _ends_operand(self, index: int) -> bool:
        """Returns whether a word of `_PREFIX` at `index` is a name, columns or ends a clause."""
        key, before = self.key(index), self.key(index - 1)
        if key == "*":
            return before in _BEFORE_STAR or before.startswith("/*+")
        if key == "ALL" and before in _BEFORE_ALL:
            return True
        return key.isalpha() and (before == "." or (before == "AS" and key != "SELECT"))

    @cached_property
    def _passing(self) -> dict[Callable[[Tokens, int], bool], list[int]]:
        return {}

    @cached_property
    def _results(self) -> dict[Callable[[Tokens, int], Any], dict[int, Any]]:
        return {}


def read_tokens(sql: str, *, double_quoted_identifiers: bool = False) -> Tokens:
    """Splits `sql` into words. Raises `sqlglot.errors.TokenError`, as on an unclosed string."""
    name_quotes = '`"' if double_quoted_identifiers else "`"
    words: list[Word] = []
    match: dict[int, int] = {}
    stack: list[int] = []
    known: dict[tuple[TokenType, str], tuple[str, bool, bool]] = {}  # most words come again
    for token in tokenize(sql):
        if words and token.start == words[-1].start:
            continue  # sqlglot turns 10L into `10L`, `::` and a type
        start, text = token.start, sql[token.start : token.end + 1]
        found = known.get((token.token_type, text))
        if found is None:
            quoted = token.token_type in _QUOTED
            names = not quoted and token.token_type != TokenType.NUMBER and _NAME.match(text)
            key = "" if quoted else " ".join(text.upper().split())
            found = key, quoted, text[0] in name_quotes or bool(names)
            known[token.token_type, text] = found
        key, quoted, identifier = found
        if key == "BY" and words and words[-1].key in _WITH_BY:
            # there is a comment between the words; else sqlglot itself makes one token of them
            first = words.pop()
            start, key, identifier = first.start, f"{first.key} BY", False
            text = sql[start : token.end + 1]
        words.append(Word(text, key, start, token.end + 1, quoted, identifier))
        if key in _OPEN:
            stack.append(len(words) - 1)
        elif key in _OPEN.values() and stack and _OPEN[words[stack[-1]].key] == key:
            opening = stack.pop()
            match[opening], match[len(words) - 1] = len(words) - 1, opening
    return Tokens(sql, tuple(words), match)
