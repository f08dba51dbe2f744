"""Edits of a text, which never overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """An edit that replaces the characters [start, stop) by `text`."""

    start: int
    stop: int
    text: str


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Returns the edits from left to right; insertions at one place keep their order."""
    return sorted(edits, key=lambda edit: (edit.start, edit.stop))


def apply(sql: str, edits: Iterable[Edit]) -> str:
    """Returns the edited text.

    >>> apply("a BY k", [Edit(2, 4, ") PARTITION BY ("), Edit(6, 6, ")")])
    'a ) PARTITION BY ( k)'
    """
    pieces, position = [], 0
    for edit in in_order(edits):
        assert position <= edit.start, f"overlapping edits at {edit.start}"
        pieces += [sql[position : edit.start], edit.text]
        position = edit.stop
    return "".join([*pieces, sql[position:]])


def blank(sql: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Returns the text with each span [start, stop) replaced by its word and blanks.

    The length of the text and its newlines stay. A span inside another is blanked out with it.

    >>> blank("x COGROUP a BY k;", [(2, 16, "TABLE c")])
    'x TABLE c       ;'
    """
    pieces, position = [], 0
    for start, stop, word in sorted(spans):
        if start >= position:
            rest = sql[start + len(word) : stop]
            spaces = "".join(char if char in "\r\n" else " " for char in rest)
            pieces += [sql[position:start], word, spaces]
            position = stop
    return "".join([*pieces, sql[position:]])
