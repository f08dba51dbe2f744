"""Lays atoms out in lines.

What fits into a line is one line. Else each clause begins a line, a list has an item a line, a
condition begins a line with AND and OR, and the longest brackets are opened.
"""

from __future__ import annotations

from itertools import pairwise

from eddyline.formatting.atoms import Atom, Source, top_level
from eddyline.formatting.clauses import (
    clause_starts,
    head_length,
    head_starts,
    is_list,
    is_query,
    option_starts,
    query_start,
)

_STEP = 2
_CASE = frozenset(["ELSE", "WHEN"])


class Layout:
    """Lays out the statements of a text.

    Attributes:
        source: the text.
        width: length of a line, in characters.
    """

    def __init__(self, source: Source, width: int) -> None:
        self.source = source
        self.tokens = source.tokens
        self.width = width

    def statement(self, atoms: list[Atom]) -> list[str]:
        """Returns the lines of a statement."""
        start = query_start(self.tokens, atoms)
        if start is None or self.flat(atoms, 0) is not None:
            return self.query(atoms, 0)
        return [*self.head(atoms[:start]), *self.query(atoms[start:], 0)]

    def head(self, atoms: list[Atom]) -> list[str]:
        """Returns the lines of what stands before the query of a statement."""
        if self.flat(atoms, 0) is not None:
            return self.item(atoms, 0)
        lines = []
        for number, part in enumerate(_split(atoms, head_starts(self.tokens, atoms))):
            if part[-1].key == "AS" and number:
                lines += [*self.item(part[:-1], _STEP), *self.item(part[-1:], 0)]
            else:
                lines += self.item(part, 0 if part[0].key == "AS" or not number else _STEP)
        return lines

    def query(self, atoms: list[Atom], indent: int) -> list[str]:
        """Returns the lines of a query."""
        if (line := self.flat(atoms, indent)) is not None:
            return line
        lines = []
        for clause in _split(atoms, clause_starts(self.tokens, atoms)):
            lines += self.clause(clause, indent)
        return lines

    def clause(self, clause: list[Atom], indent: int) -> list[str]:
        """Returns the lines of a clause."""
        if (line := self.flat(clause, indent)) is not None:
            return line
        if clause[0].key == "EMIT":
            first, *options = _split(clause, option_starts(self.tokens, clause))
            return [*self.item(first, indent), *self.each(options, indent + _STEP)]
        length = head_length(clause)
        if not is_list(clause) or length == len(clause):
            return self.item(clause, indent)
        items = self.items(clause[length:])
        if len(items) == 1:
            return self.item(clause, indent)
        return [*self.words(clause[:length], indent), *self.each(items, indent + _STEP)]

    def each(self, items: list[list[Atom]], indent: int) -> list[str]:
        """Returns the lines of the items of a list."""
        return [line for item in items for line in self.item(item, indent)]

    def items(self, atoms: list[Atom]) -> list[list[Atom]]:
        """Returns the items of a list, each with its comma."""
        commas = [position for position in top_level(atoms) if atoms[position].key == ","]
        return _split(atoms, [position + 1 for position in commas])

    def item(self, atoms: list[Atom], indent: int) -> list[str]:
        """Returns the lines of an expression, a relation or a condition."""
        if (line := self.flat(atoms, indent)) is not None:
            return line
        for starts in (self.connectives(atoms), self.cases(atoms)):
            parts = _split(atoms, starts)
            if len(parts) > 1:
                first = self.item(parts[0], indent)
                return [*first, *self.each(parts[1:], indent + _STEP)]
        group = self.longest_group(atoms)
        if group is None:
            return self.words(atoms, indent)
        opening, closing = group
        inner = atoms[opening + 1 : closing]
        lines = self.words(atoms[: opening + 1], indent)
        if is_query(inner):
            lines += self.query(inner, indent + _STEP)
        else:
            lines += self.each(self.items(inner), indent + _STEP)
        return [*lines, *self.item(atoms[closing:], indent)]

    def connectives(self, atoms: list[Atom]) -> list[int]:
        """Returns the positions of AND and OR, but for the AND of BETWEEN."""
        found, between = [], False
        for position in top_level(atoms, in_cases=False):
            key = atoms[position].key
            if key == "BETWEEN":
                between = True
            elif key == "AND" and between:
                between = False
            elif key in ("AND", "OR") and position:
                found.append(position)
        return found

    def cases(self, atoms: list[Atom]) -> list[int]:
        """Returns the positions of WHEN, ELSE and END of the outer CASE."""
        found = []
        for case in top_level(atoms, in_cases=False):
            end = case + atoms[case].to_end
            inner = top_level(atoms[case + 1 : end], in_cases=False)
            found += [case + 1 + at for at in inner if atoms[case + 1 + at].key in _CASE]
            found += [end] if case < end < len(atoms) else []
        return found

    def longest_group(self, atoms: list[Atom]) -> tuple[int, int] | None:
        """Returns the positions of the brackets around the most text, or None."""
        groups = [
            (position, position + atoms[position].to_close)
            for position in top_level(atoms)
            if 1 < atoms[position].to_close < len(atoms) - position
        ]
        return max(groups, key=lambda group: _length(atoms, group), default=None)

    def flat(self, atoms: list[Atom], indent: int) -> list[str] | None:
        """Returns the atoms as one line below their comments; None if they do not fit."""
        length, last = indent, len(atoms) - 1
        for position, atom in enumerate(atoms):
            if (position and atom.before) or (position < last and atom.after):
                return None
            if "\n" in atom.text:
                return None if last else self.words(atoms, indent)
            length += len(atom.text)
            length += position > 0 and _apart(atoms[position - 1], atom)
            if length > self.width:
                return None
        return self.words(atoms, indent) if atoms else None

    def words(self, atoms: list[Atom], indent: int) -> list[str]:
        """Returns the atoms in lines that end only for comments."""
        lines: list[str] = []
        line = ""
        for position, atom in enumerate(atoms):
            if atom.before:
                if line:
                    lines.append(line)
                    line = ""
                lines += [" " * indent + text if text else "" for text in atom.before]
            if not line:
                line = " " * (indent if not position else indent + _STEP) + atom.text
            else:
                line += (" " if _apart(atoms[position - 1], atom) else "") + atom.text
            if atom.after:
                lines.append(f"{line} {atom.after}")
                line = ""
        return [*lines, line] if line else lines


def _apart(one: Atom, other: Atom) -> bool:
    """Returns whether a blank stands between two atoms of a line."""
    if one.text == "(" or other.text in (")", ",", ";"):
        return False
    return one.text == "," or other.gap


def _length(atoms: list[Atom], group: tuple[int, int]) -> int:
    """Returns the length of a group as one line."""
    return atoms[group[1]].offset - atoms[group[0]].offset


def _split(atoms: list[Atom], starts: list[int]) -> list[list[Atom]]:
    """Returns the parts of a list that begin at its start and at `starts`."""
    bounds = [0, *(start for start in starts if 0 < start < len(atoms)), len(atoms)]
    return [atoms[first:last] for first, last in pairwise(bounds) if first < last]
