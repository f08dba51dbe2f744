"""The places of the operators in the picture of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from eddyline.errors import EddylineError
from eddyline.report.plan import PlanNode
from eddyline.rowtext import text_width

CHAR = 7.3  # width of a character of the monospaced font at 12 px, rounded up
LINE = 16
PAD = 12
GAP = 24
_LEVEL_GAP = 48
_WIDEST = 40  # characters in a line of a box
_MOST = 2  # lines of the arguments of an operator


@dataclass(frozen=True)
class Box:
    """A node at its place; `x` and `y` are its upper left corner, all in pixels."""

    node: PlanNode
    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """Its middle from left to right."""
        return self.x + self.width / 2


def boxes_of(nodes: Sequence[PlanNode], left: float, top: float) -> list[Box]:
    """Returns a box for each node, the root on top; no two overlap.

    Args:
        nodes: the nodes of a plan, the root first.
        left: left edge of the picture.
        top: upper edge of the picture.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.LAYOUT_MISSING if bigtree is not installed.
    """
    lines = {node.id: _lines(node) for node in nodes}
    widths = {n: max(map(text_width, text)) * CHAR + 2 * PAD for n, text in lines.items()}
    counts = max(text_width(node.moved) for node in nodes) * CHAR
    pitch = max(*widths.values(), 2 * (counts + PAD)) + GAP
    places = _places(nodes)
    heights = [0.0] * (1 + max(level for _, level in places.values()))
    for node in nodes:
        level = places[node.id][1]
        heights[level] = max(heights[level], len(lines[node.id]) * LINE + 2 * PAD)
    tops = [top]
    for height in heights:
        tops.append(tops[-1] + height + _LEVEL_GAP)
    return [
        Box(
            node,
            lines[node.id],
            left + column * pitch + (pitch - widths[node.id]) / 2,
            tops[level],
            widths[node.id],
            len(lines[node.id]) * LINE + 2 * PAD,
        )
        for node in nodes
        for column, level in [places[node.id]]
    ]


def _places(nodes: Sequence[PlanNode]) -> dict[int, tuple[float, int]]:
    """Returns the column, which may be a fraction, and the level of each node."""
    found = _tidy(nodes, extended=False)
    rows: dict[int, list[float]] = {}
    for column, level in found.values():
        rows.setdefault(level, []).append(column)
    tight = any(b - a < 1 - 1e-6 for row in rows.values() for a, b in pairwise(sorted(row)))
    return _tidy(nodes, extended=True) if tight else found


def _tidy(nodes: Sequence[PlanNode], extended: bool) -> dict[int, tuple[float, int]]:
    """Returns the places by the algorithm of Reingold and Tilford.

    The library compares two subtrees along their inner branches only, which may be shorter than
    other ones. With `extended` all branches reach the lowest level, so that none is longer.
    """
    try:
        from bigtree import BaseNode, reingold_tilford  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise EddylineError("EDDYLINE_ENVIRONMENT.LAYOUT_MISSING") from error

    tree: dict[int, Any] = {}
    for node in nodes:
        tree[node.id] = BaseNode(parent=None if node.parent is None else tree[node.parent])
    root = tree[nodes[0].id]
    if extended:
        depth = root.max_depth
        for leaf in [node for node in tree.values() if node.is_leaf]:
            last = leaf
            for _ in range(depth - leaf.depth):
                last = BaseNode(parent=last)
    reingold_tilford(root, reverse=True)
    first = min(node.get_attr("x") for node in tree.values())
    return {n: (node.get_attr("x") - first, node.depth - 1) for n, node in tree.items()}


def _lines(node: PlanNode) -> tuple[str, ...]:
    text = [node.text[i : i + _WIDEST] for i in range(0, len(node.text), _WIDEST)]
    if len(text) > _MOST:
        text = [*text[: _MOST - 1], _cut(text[_MOST - 1] + text[_MOST])]
    return tuple(filter(None, (_cut(node.name), *text, _cut(node.label))))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
