"""Edits of a text. They never overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Edit:
    """An edit that replaces the characters [start, stop) by `text`.

    Attributes:
        start: offset of the first character that it replaces.
        stop: offset after the last one.
        text: what stands there instead.
        argument: the argument whose typed value begins or ends here, if readers have to find it.
    """

    start: int
    stop: int
    text: str
    argument: str = ""


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Returns the edits from left to right; insertions at one place keep their order."""
    return sorted(edits, key=lambda edit: (edit.start, edit.stop))


def separate_words(sql: str, edits: Iterable[Edit]) -> list[Edit]:
    """Returns edits in order, with blanks where two words would run into each other.

    >>> separate_words("k,b", [Edit(1, 2, ", x => TABLE(SELECT * FROM")])
    [Edit(start=1, stop=2, text=', x => TABLE(SELECT * FROM ', argument='')]
    """
    found: list[Edit] = []
    before = ""
    for edit in edits:
        position = found[-1].stop if found else 0
        before = sql[position : edit.start][-1:] or before
        text = f" {edit.text}" if _runs_on(before, edit.text[:1]) else edit.text
        if _runs_on(text[-1:], sql[edit.stop : edit.stop + 1]):
            text += " "
        before = text[-1:] or before
        found.append(replace(edit, text=text))
    return found


def _runs_on(before: str, after: str) -> bool:
    """Returns whether two characters, of which one may be missing, belong to one word."""
    return all(each.isalnum() or each == "_" for each in (before or " ", after or " "))


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


def mask_spans(sql: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Returns the text with each span [start, stop) replaced by its word and blanks.

    The length of the text and its newlines stay. A span inside another is replaced with it.

    >>> mask_spans("x COGROUP a BY k;", [(2, 16, "TABLE c")])
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
