"""What the readers of all clauses share: a place in the words, edits, and errors at a word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from eddyline.errors import ClauseError
from eddyline.lowering.edits import Edit
from eddyline.lowering.tokens import Tokens, Word

_UNITS = frozenset(
    "YEAR MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND NANOSECOND".split()
)


@dataclass
class Clause:
    """One clause: its edits and what it takes, up to ORDER BY or the like.

    Attributes:
        start: offset of its first character.
        stop: offset behind its last character.
        end: index of the word behind it.
        edits: that lower it.
        stand_in: a text that Spark parses in its place, no longer than the clause.
        closing: an edit at its end, behind those of the clauses inside of it.
    """

    start: int
    stop: int
    end: int
    edits: list[Edit] = field(default_factory=list)
    stand_in: str = ""
    closing: Edit | None = None


class ClauseReader:
    """Reads one clause from left to right.

    Attributes:
        condition: the main condition of the clause's errors.
        first: index of the clause's first word.
        at: index of the next word.
        end: index of the word that ends the group of the clause.
        edits: so far.
    """

    condition: ClassVar[str]

    def __init__(self, tokens: Tokens, index: int) -> None:
        self.tokens = tokens
        self.first = index
        self.at = index + 1
        self.end = tokens.group_end(index + 1)
        self.edits: list[Edit] = []

    def skip_to(self, keys: frozenset[str]) -> None:
        """Go to the first of the keywords, where it is one, or to the end of the clause."""
        while self.at < self.end:
            if self.tokens.key(self.at) in keys and (
                self.tokens.key(self.at) == "," or not self.tokens.expects_operand(self.at)
            ):
                return
            self.require_closed()
            self.at = self.tokens.after(self.at)

    def require_closed(self) -> None:
        """Refuse a bracket without a partner at the next word."""
        if self.tokens.key(self.at) in ("(", "[", "{") and self.at not in self.tokens.match:
            opening = self.at
            self.at = len(self.tokens)
            raise self.expected(
                f"the partner of '{self.tokens.words[opening].text}'", "A bracket is not closed."
            )

    def replace(self, word: Word, text: str) -> None:
        """Put `text` in the place of a word."""
        self.edits.append(Edit(word.start, word.stop, text))

    def replace_range(self, start: int, stop: int, text: str) -> None:
        """Put `text` in the place of [start, stop); newlines stay, for Spark's line numbers."""
        newlines = "\n" * self.tokens.sql.count("\n", start, stop)
        self.edits.append(Edit(start, stop, text + newlines))

    def insert_after(self, index: int, text: str) -> None:
        """Put `text` behind the word at `index`."""
        stop = self.tokens.words[index].stop
        self.edits.append(Edit(stop, stop, text))

    def expected(self, what: str, hint: str) -> ClauseError:
        """SYNTAX_ERROR at the next word."""
        found = "the end of the text"
        if self.at < len(self.tokens):
            found = f"'{self.tokens.words[self.at].text}'"
        return self.error("SYNTAX_ERROR", self.at, expected=what, found=found, hint=hint)

    def error(self, condition: str, index: int, **parameters: str) -> ClauseError:
        """The error at the word with the index, or at the end of the text."""
        name = f"{self.condition}.{condition}"
        if index < len(self.tokens):
            word = self.tokens.words[index]
            return ClauseError(name, word.start, word.stop, **parameters)
        return ClauseError(name, len(self.tokens.sql), len(self.tokens.sql), **parameters)

    def read_interval(self, word: str) -> None:
        """[INTERVAL] (n unit … | 'text' [unit])."""
        hint = f"Write {word} 10 SECONDS, or {word} '10 seconds'."
        if self.key() == "INTERVAL":
            self.at += 1
        else:
            start = self.tokens.words[self.at].start if self.at < self.end else 0
            self.edits.append(Edit(start, start, "INTERVAL "))
        if self.is_text() and not self.is_unit(self.at + 1):
            self.at += 1
            return
        if not self.is_text() and not self.is_number():
            raise self.expected("an interval", hint)
        while self.is_text() or self.is_number():
            self.at += 1
            if not self.is_unit(self.at):
                raise self.expected("a unit of time", hint)
            self.at += 1

    def key(self) -> str:
        """The keyword at hand; empty at the end of the group."""
        return self.tokens.key(self.at) if self.at < self.end else ""

    def is_number(self) -> bool:
        """Whether a number follows."""
        return self.at < self.end and self.tokens.words[self.at].text[0].isdecimal()

    def is_text(self) -> bool:
        """Whether a string follows."""
        return self.at < self.end and self.tokens.words[self.at].text[0] in "'\""

    def is_unit(self, index: int) -> bool:
        """Whether the word at `index` is a unit of time."""
        return index < self.end and self.tokens.key(index).removesuffix("S") in _UNITS

    def take(self, *keys: str) -> None:
        """Go behind the keywords, which must follow."""
        for key in keys:
            if self.key() != key:
                raise self.expected(key, f"Write {' '.join(keys)}.")
            self.at += 1

    def replace_words(self, first: int, last: int, text: str) -> None:
        """Put `text` in the place of the words from `first` to `last`."""
        words = self.tokens.words
        self.replace_range(words[first].start, words[last].stop, text)


def literal(text: str) -> str:
    r"""A string as an SQL literal.

    >>> print(literal("it's"))
    'it\'s'
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
