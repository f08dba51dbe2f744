"""The pieces of a text that a formatter may not break: words, and comments where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from eddyline.comments import comments, without_jinja
from eddyline.lowering.tokens import Tokens, read_tokens

# tags and comments of Jinja with nothing between them
_TAGS = re.compile(r"(?:\{%.*?%\}|\{#.*?#\})+", re.DOTALL)
# words that are never a part of another one
_ALONE = frozenset("()[],;")


@dataclass
class Atom:
    """A word, or a comment inside a line.

    Attributes:
        text: as typed, with the tags of Jinja that touch it, since they may render to a part of it.
        key: the keyword; empty for a name in quotes, a string and a comment.
        index: index of the word in the tokens; -1 for a comment.
        gap: whether a blank stands before it.
        before: comments on lines of their own before it; an empty text is an empty line.
        after: the comment that ends its line.
        start: offset of a word in the text.
    """

    text: str
    key: str
    index: int
    gap: bool
    before: list[str] = field(default_factory=list)
    after: str = ""
    start: int = -1

    @property
    def stop(self) -> int:
        """Offset after a word."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Source:
    """A text split into atoms.

    Attributes:
        sql: the text.
        tokens: its words, with words for Jinja.
        atoms: its atoms.
        end: comments after the last atom.
    """

    sql: str
    tokens: Tokens
    atoms: list[Atom]
    end: list[str]


def read_atoms(sql: str) -> Source:
    """Splits a text. Raises `sqlglot.errors.TokenError`, as on an unclosed string."""
    masked, places = without_jinja(sql)
    tokens = read_tokens(masked)
    atoms: list[Atom] = []
    position, pending = 0, list[str]()
    for index, word in enumerate(tokens.words):
        if word.start < position:
            continue
        first, last = _tags(sql, position, word.start, atoms, masked[word.start])
        if first == word.start and position < first and masked[word.start] not in _ALONE:
            atoms[-1].text = sql[atoms[-1].start : word.stop]
            position = word.stop
            continue
        pending, gap = _read_gap(sql, first, last, atoms, pending)
        text = sql[last : word.stop]
        begins = not atoms or atoms[-1].key == ";"
        jinja = begins and text.startswith("{{") and word.stop in places
        if jinja and _alone(sql, word.start, word.stop):
            pending.append(text)
        else:
            atoms.append(Atom(text, word.key, index, gap, pending, start=last))
            pending = []
        position = word.stop
    first, _ = _tags(sql, position, len(sql), atoms, ";")
    end, _ = _read_gap(sql, first, len(sql), atoms, pending)
    while end and not end[-1]:
        end.pop()
    return Source(sql, tokens, atoms, end)


def _tags(sql: str, start: int, stop: int, atoms: list[Atom], following: str) -> tuple[int, int]:
    """Takes the tags of Jinja that touch a word to it.

    Args:
        sql: the text.
        start: offset after a word, whose atom is the last one and gets its tags.
        stop: offset of the next word.
        atoms: the atoms so far.
        following: the first character of the next word.

    Returns:
        the offset after the tags of the last atom, and that of the tags of the next word.
    """
    tags = _TAGS.match(sql, start, stop)
    if tags and atoms and atoms[-1].stop == start and atoms[-1].text not in _ALONE:
        atoms[-1].text += tags.group()
        start = tags.end()
    if following in _ALONE:
        return start, stop
    found = [tags.start() for tags in _TAGS.finditer(sql, start, stop) if tags.end() == stop]
    return start, found[0] if found else stop


def _read_gap(
    sql: str, start: int, stop: int, atoms: list[Atom], pending: list[str]
) -> tuple[list[str], bool]:
    """Reads blanks and comments.

    Returns:
        the comments on lines of their own, and whether there is a blank before the next word.
    """
    position = start
    for first, last in comments(sql, start, stop):
        blanks = sql[position:first]
        text = sql[first:last].rstrip()
        of_line = text.startswith(("--", "{"))
        ends = of_line or _ends_line(sql, last)
        if not atoms or (atoms[-1].key == ";" and "\n" in blanks) or ("\n" in blanks and ends):
            pending += [*_empty_lines(blanks, atoms, pending), text]
        elif of_line and not pending and not atoms[-1].after:
            atoms[-1].after = text
        elif of_line or pending or atoms[-1].after:
            pending.append(text)
        else:
            atoms.append(Atom(text, "", -1, bool(blanks)))
        position = last
    blanks = sql[position:stop]
    return [*pending, *_empty_lines(blanks, atoms, pending)], position > start or bool(blanks)


def _empty_lines(blanks: str, atoms: list[Atom], pending: list[str]) -> list[str]:
    several = blanks.count("\n") > 1 and (atoms or pending)
    return [""] if several and not (pending and not pending[-1]) else []


def _ends_line(sql: str, position: int) -> bool:
    newline = sql.find("\n", position)
    return not sql[position : newline if newline >= 0 else None].strip()


def _alone(sql: str, start: int, stop: int) -> bool:
    """Returns whether [start, stop) has lines of its own."""
    begin = sql.rfind("\n", 0, start) + 1
    return not sql[begin:start].strip() and _ends_line(sql, stop)
