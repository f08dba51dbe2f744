"""The pieces of a text that a formatter may not break: words, and comments where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from eddyline.comments import comments, without_jinja
from eddyline.lowering.tokens import Tokens, read_tokens

# what Spark replaces by the value of a variable
_VARIABLE = re.compile(r"\$\{(?:\w+?:)?\S+?\}", re.ASCII)


@dataclass
class Atom:
    """A word, `${variable}`, or a comment inside a line.

    Attributes:
        text: as typed.
        key: the keyword; empty for a name in quotes, a string and a comment.
        index: index of its first word in the tokens; -1 for a comment.
        gap: whether a blank stands before it.
        before: comments on lines of their own before it; an empty text is an empty line.
        after: the comment that ends its line.
        to_close: number of atoms to the bracket that closes the one here; 0 if there is none.
        to_end: number of atoms to the END of the CASE here; 0 if there is none.
        offset: length of the words before it, each with a blank.
    """

    text: str
    key: str
    index: int
    gap: bool
    before: list[str] = field(default_factory=list)
    after: str = ""
    to_close: int = 0
    to_end: int = 0
    offset: int = 0


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
    stops = {word.stop for word in tokens.words}
    atoms: list[Atom] = []
    position, pending = 0, list[str]()
    for index, word in enumerate(tokens.words):
        if word.start < position:
            continue
        pending, gap = _read_gap(sql, position, word.start, atoms, pending)
        variable = _VARIABLE.match(masked, word.start)
        stop = variable.end() if variable and variable.end() in stops else word.stop
        text = sql[word.start : stop]
        begins = not atoms or atoms[-1].key == ";"
        jinja = begins and text.startswith("{{") and word.stop in places
        if jinja and _alone(sql, word.start, word.stop):
            pending.append(text)
        else:
            atoms.append(Atom(text, word.key, index, gap, pending))
            pending = []
        position = stop
    end, _ = _read_gap(sql, position, len(sql), atoms, pending)
    while end and not end[-1]:
        end.pop()
    _measure(tokens, atoms)
    return Source(sql, tokens, atoms, end)


def _measure(tokens: Tokens, atoms: list[Atom]) -> None:
    """Says of each atom how far it is to its partner, so that a layout need not search for it."""
    places = {atom.index: position for position, atom in enumerate(atoms) if atom.index >= 0}
    cases: list[list[int]] = [[]]  # the open ones, by bracket
    offset = 0
    for position, atom in enumerate(atoms):
        atom.offset = offset
        offset += len(atom.text) + 1
        partner = tokens.match.get(atom.index, atom.index)
        if partner in places and partner > atom.index:
            atom.to_close = places[partner] - position
            cases.append([])
        elif partner in places and partner < atom.index:
            cases.pop()
        elif atom.key == "CASE":
            cases[-1].append(position)
        elif atom.key == "END" and cases[-1]:
            first = cases[-1].pop()
            atoms[first].to_end = position - first


def top_level(atoms: list[Atom], *, in_cases: bool = True) -> Iterator[int]:
    """Yields the positions of the words that are in no brackets which open here.

    Args:
        atoms: a part of a text.
        in_cases: whether the words between CASE and END are among them.
    """
    position = 0
    while position < len(atoms):
        atom = atoms[position]
        if atom.index >= 0:
            yield position
        position += atom.to_close or (0 if in_cases else atom.to_end) or 1


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
        text = _stripped(sql[first:last])
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


def _stripped(comment: str) -> str:
    r"""Returns a comment without the blanks at its end, but for one after a backslash.

    Without that one the comment would go on in the next line.

    >>> _stripped("-- C:\\ \t"), _stripped("-- C:\\"), _stripped("-- C: ")
    ('-- C:\\ ', '-- C:\\', '-- C:')
    """
    text = comment.rstrip()
    goes_on = text.startswith("--") and text.endswith("\\") and text != comment
    return f"{text} " if goes_on else text


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
