"""Draws results of `benchmarks/scale.py` as lines over logarithmic axes, `docs/pictures/scale.svg`.

`make update-docs` writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.etree.ElementTree import Element, SubElement, tostring

from eddyline.report.picture import sheet, write_text

_COLUMNS = 3
_WIDTH = 200  # of the axes; all lengths are in pixels
_HEIGHT = 100
_LEFT = 80  # room for the numbers of the axis
_RIGHT = 30
_HEAD = 44
_FOOT = 26
_SUFFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))

_STYLE = """
.eddyline-lines { --ink: #1b1b1b; --paper: #ffffff; --dim: #d0d0d0; --ours: #0072b2;
  --theirs: #767676; }
@media (prefers-color-scheme: dark) { .eddyline-lines { --ink: #f0f0f0; --paper: #16181c;
  --dim: #444850; --ours: #56b4e9; --theirs: #9a9a9a; } }
.eddyline-lines text { font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace;
  fill: var(--ink); }
.eddyline-lines .sheet { fill: var(--paper); }
.eddyline-lines .head { font-weight: bold; }
.eddyline-lines .tick { text-anchor: middle; }
.eddyline-lines .level { text-anchor: end; dominant-baseline: central; }
.eddyline-lines .grid { stroke: var(--dim); fill: none; }
.eddyline-lines path.ours { stroke: var(--ours); stroke-width: 2; fill: none; }
.eddyline-lines path.theirs { stroke: var(--theirs); stroke-width: 2; stroke-dasharray: 5 3;
  fill: none; }
.eddyline-lines circle.ours { fill: var(--ours); }
.eddyline-lines circle.theirs { fill: var(--theirs); }
"""

Places = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """Lines of one pair of axes.

    Attributes:
        heading: what is shown.
        text: the unit, and what is said of the lines.
        ours: size and value of each of eddyline's points.
        theirs: those of plain Spark, or none.
    """

    heading: str
    text: str
    ours: Places
    theirs: Places


def lines(title: str, panels: Sequence[Panel]) -> str:
    """Returns panels of lines as an SVG document, which follows light and dark.

    Args:
        title: what readers without sight are told.
        panels: in the order of reading.
    """
    wide, high = _LEFT + _WIDTH + _RIGHT, _HEAD + _HEIGHT + _FOOT
    rows = ceil(len(panels) / _COLUMNS)
    root = sheet(title, "eddyline-lines", _STYLE, (_COLUMNS * wide, rows * high))
    for number, panel in enumerate(panels):
        row, column = divmod(number, _COLUMNS)
        _panel(root, panel, column * wide + _LEFT, row * high + _HEAD)
    return tostring(root, "unicode") + "\n"


def _panel(root: Element, panel: Panel, left: float, top: float) -> None:
    group = SubElement(root, "g", {"transform": f"translate({left} {top})"})
    write_text(group, "head", 8 - _LEFT, -26, panel.heading)
    write_text(group, "text", 8 - _LEFT, -10, panel.text)
    places = [*panel.ours, *panel.theirs]
    sizes = sorted({size for size, _ in places})
    low = floor(log10(min(value for _, value in places)))
    high = max(low + 1, ceil(log10(max(value for _, value in places))))
    span = log10(sizes[-1] / sizes[0])

    def x(size: float) -> float:
        return round(log10(size / sizes[0]) / span * _WIDTH, 1)

    def y(value: float) -> float:
        return round((high - log10(value)) / (high - low) * _HEIGHT, 1)

    for level in range(low, high + 1):
        SubElement(group, "path", {"class": "grid", "d": f"M0 {y(10.0**level)}h{_WIDTH}"})
        write_text(group, "level", -8, y(10.0**level), shown(10.0**level))
    for size in sizes:
        SubElement(group, "path", {"class": "grid", "d": f"M{x(size)} 0v{_HEIGHT}"})
        write_text(group, "tick", x(size), _HEIGHT + 16, shown(size))
    for kind, found in (("theirs", panel.theirs), ("ours", panel.ours)):
        at = [(x(size), y(value)) for size, value in found]
        if at:
            way = "L".join(f"{across} {down}" for across, down in at)
            SubElement(group, "path", {"class": kind, "d": f"M{way}"})
        for across, down in at:
            SubElement(
                group, "circle", {"class": kind, "cx": f"{across}", "cy": f"{down}", "r": "3"}
            )


def shown(number: float) -> str:
    """Returns a number with a suffix for thousands and more."""
    factor, suffix = next((found for found in _SUFFIXES if number >= found[0]), (1, ""))
    return f"{number / factor:g}{suffix}"
