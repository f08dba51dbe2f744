"""Draws results of benchmarks as bars, `docs/pictures/backlog-*.svg`.

`make update-docs` writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from eddyline.report.picture import sheet, write_text

_LABELS = 240  # width of what stands before the bars; all lengths are in pixels
_BARS = 400
_FIGURES = 90
_BAR = 16
_GAP = 6
_HEAD = 30

_STYLE = """
.eddyline-bars { --ink: #1b1b1b; --paper: #ffffff; --ours: #0072b2; --theirs: #9a9a9a; }
@media (prefers-color-scheme: dark) { .eddyline-bars { --ink: #f0f0f0; --paper: #16181c;
  --ours: #56b4e9; --theirs: #767676; } }
.eddyline-bars text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: var(--ink); }
.eddyline-bars .sheet { fill: var(--paper); }
.eddyline-bars .head { font-weight: bold; }
.eddyline-bars .figure, .eddyline-bars .label { dominant-baseline: central; }
.eddyline-bars .label { text-anchor: end; }
.eddyline-bars .theirs { fill: var(--theirs); }
.eddyline-bars .ours { fill: var(--ours); }
.eddyline-bars .spread { stroke: var(--ink); fill: none; }
"""


@dataclass(frozen=True)
class Bar:
    """A measured figure.

    Attributes:
        label: what was measured.
        value: the median.
        least: the least of all runs.
        most: the most of all runs.
        ours: whether it is eddyline's.
    """

    label: str
    value: float
    least: float
    most: float
    ours: bool


def bars(title: str, groups: Sequence[tuple[str, Sequence[Bar]]]) -> str:
    """Returns groups of bars of one scale as an SVG document, which follows light and dark.

    Args:
        title: what readers without sight are told.
        groups: the heading of each group, and its bars.
    """
    longest = max(bar.most for _, group in groups for bar in group)
    height = sum(_HEAD + len(group) * (_BAR + _GAP) for _, group in groups) + _GAP
    width = _LABELS + _BARS + _FIGURES
    root = sheet(title, "eddyline-bars", _STYLE, (width, height))
    top = 0
    for heading, group in groups:
        write_text(root, "head", _LABELS, top + _HEAD - 10, heading)
        top += _HEAD
        for bar in group:
            _bar(root, bar, top, _BARS / longest)
            top += _BAR + _GAP
    return tostring(root, "unicode") + "\n"


def _bar(root: Element, bar: Bar, top: int, scale: float) -> None:
    shape = {"x": _LABELS, "y": top, "width": round(bar.value * scale, 1), "height": _BAR}
    kind = "ours" if bar.ours else "theirs"
    SubElement(root, "rect", {"class": kind, **{name: f"{v}" for name, v in shape.items()}})
    middle = top + _BAR / 2
    least, most = (_LABELS + round(value * scale, 1) for value in (bar.least, bar.most))
    SubElement(root, "path", {"class": "spread", "d": f"M{least} {middle}H{most}"})
    write_text(root, "label", _LABELS - 8, middle, bar.label)
    write_text(
        root, "figure", _LABELS + max(bar.value, bar.most) * scale + 8, middle, f"{bar.value:,.0f}"
    )
