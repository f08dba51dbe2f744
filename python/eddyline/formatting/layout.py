"""Lays atoms out in lines.

What fits into a line is one line. Else each clause begins a line, a list has an item a line, a
condition begins a line with AND and OR, and the longest brackets are opened.
"""

from __future__ import annotations

from itertools import pairwise

from eddyline.formatting.atoms import Atom, Source
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
_OPEN = frozenset("([")
_CASE = frozenset(["ELSE", "END", "WHEN"])


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
        commas = [position for position in self.top_level(atoms) if atoms[position].key == ","]
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
        cases = 0
        for position in self.top_level(atoms):
            key = atoms[position].key
            cases += (key == "CASE") - (key == "END")
            if key == "BETWEEN":
                between = True
            elif key == "AND" and between:
                between = False
            elif key in ("AND", "OR") and position and not cases:
                found.append(position)
        return found

    def cases(self, atoms: list[Atom]) -> list[int]:
        """Returns the positions of WHEN, ELSE and END of the outer CASE."""
        found, depth = [], 0
        for position in self.top_level(atoms):
            key = atoms[position].key
            depth += key == "CASE"
            if key in _CASE and depth == 1 and position:
                found.append(position)
            depth -= key == "END"
        return found

    def longest_group(self, atoms: list[Atom]) -> tuple[int, int] | None:
        """Returns the positions of the brackets around the most text, or None."""
        places = {atom.index: position for position, atom in enumerate(atoms) if atom.index >= 0}
        groups = []
        for position in self.top_level(atoms):
            close = self.tokens.match.get(atoms[position].index, -1)
            if atoms[position].text in _OPEN and close in places and places[close] > position + 1:
                groups.append((position, places[close]))
        return max(groups, key=lambda group: self.span(atoms, group), default=None)

    def span(self, atoms: list[Atom], group: tuple[int, int]) -> int:
        """Returns the length of a group as one line."""
        return sum(len(atom.text) + 1 for atom in atoms[group[0] : group[1]])

    def top_level(self, atoms: list[Atom]) -> list[int]:
        """Returns the positions of the words that are in no brackets which open here."""
        found, closing = [], -1
        for position, atom in enumerate(atoms):
            if atom.index < 0 or atom.index < closing:
                continue
            found.append(position)
            if atom.text in _OPEN:
                closing = self.tokens.match.get(atom.index, -1)
        return found

    def flat(self, atoms: list[Atom], indent: int) -> list[str] | None:
        """Returns the atoms as one line below their comments; None if they do not fit."""
        broken = any(atom.before for atom in atoms[1:]) or any(atom.after for atom in atoms[:-1])
        if broken or not atoms:
            return None
        lines = self.words(atoms, indent)
        text = lines[-1]
        if any("\n" in atom.text for atom in atoms):
            return lines if len(atoms) == 1 else None
        last = atoms[-1].after
        return lines if len(text) - (len(last) + 1 if last else 0) <= self.width else None

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


def _split(atoms: list[Atom], starts: list[int]) -> list[list[Atom]]:
    """Returns the parts of a list that begin at its start and at `starts`."""
    bounds = [0, *(start for start in starts if 0 < start < len(atoms)), len(atoms)]
    return [atoms[first:last] for first, last in pairwise(bounds) if first < last]
