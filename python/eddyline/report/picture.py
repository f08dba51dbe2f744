"""The physical plan of a report as a picture, which needs neither browser nor network."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from eddyline.report.layout import CHAR, GAP, LINE, PAD, Box, boxes_of
from eddyline.report.plan import PlanNode

_HEAD = 36  # height of a line above and below the plans
_CORNER = {"REPLICA": 18, "STATE": 6}
_LEGEND = {
    "EXCHANGE": "Exchange",
    "SAVED": "saved Exchange",
    "REUSED": "reused Exchange",
    "REPLICA": "replica of a global table",
    "STATE": "state store",
}

# The palette of Okabe and Ito, which colour-blind readers can tell apart; outline and label differ
# too, so that no meaning depends on colour.
_STYLE = """
.eddyline-plan { --ink: #1b1b1b; --paper: #ffffff; --dim: #555555; --exchange: #1b1b1b;
  --saved: #b34700; --replica: #0072b2; --state: #00795a; }
@media (prefers-color-scheme: dark) { .eddyline-plan { --ink: #f0f0f0; --paper: #16181c;
  --dim: #b8b8b8; --exchange: #f0f0f0; --saved: #ff9a4d; --replica: #56b4e9; --state: #4fd6a8; } }
.eddyline-plan text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: var(--ink);
  white-space: pre; }
.eddyline-plan .sheet { fill: var(--paper); }
.eddyline-plan .edge { stroke: var(--dim); fill: none; }
.eddyline-plan .count { fill: var(--dim); }
.eddyline-plan .name, .eddyline-plan .head { font-weight: bold; }
.eddyline-plan .box { fill: var(--paper); stroke: var(--dim); }
.eddyline-plan .exchange .box { stroke: var(--exchange); stroke-width: 3; }
.eddyline-plan .reused .box { stroke: var(--exchange); stroke-dasharray: 1 3; stroke-width: 2; }
.eddyline-plan .saved .box { stroke: var(--saved); stroke-dasharray: 6 4; stroke-width: 2; }
.eddyline-plan .saved .struck { text-decoration: line-through; }
.eddyline-plan .saved .label { fill: var(--saved); }
.eddyline-plan .replica .box { stroke: var(--replica); stroke-width: 3; }
.eddyline-plan .replica .label { fill: var(--replica); }
.eddyline-plan .state .box { stroke: var(--state); stroke-width: 2; }
.eddyline-plan .state .lid { stroke: var(--state); stroke-width: 2; }
.eddyline-plan .state .label { fill: var(--state); }
"""
_PAGE = """
:root { color-scheme: light dark; }
body { font: 14px system-ui, sans-serif; margin: 1.5em; }
figure { margin: 0 0 1.5em; overflow: auto; }
table { border-collapse: collapse; }
td, th { border: 1px solid #888888; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
"""


def draw(plans: Sequence[tuple[str, Sequence[PlanNode]]]) -> str:
    """Returns plans, one beside the other, as an SVG document.

    Args:
        plans: the heading of each plan, and its nodes, the root first.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.LAYOUT_MISSING if bigtree is not installed.
    """
    left, panels = float(GAP), []
    for heading, nodes in plans:
        boxes = boxes_of(nodes, left, GAP + _HEAD)
        panels.append((heading, left, boxes))
        left = max(box.x + box.width for box in boxes) + 2 * GAP
    everything = [box for _, _, boxes in panels for box in boxes]
    bottom = max(box.y + box.height for box in everything) + GAP
    kinds = [kind for kind in _LEGEND if any(box.node.kind == kind for box in everything)]
    ends = [start + len(heading) * CHAR + GAP for heading, start, _ in panels]
    width = max(left, *ends, _legend_end(kinds))
    height = bottom + (_HEAD if kinds else 0)
    name = "Physical plan: " + ", ".join(heading for heading, _ in plans)
    root = sheet(name, "eddyline-plan", _STYLE, (width, height))
    for heading, start, boxes in panels:
        write_text(root, "head", start, GAP + LINE, heading)
        _edges(root, boxes)
        for box in boxes:
            _box(root, box)
    _legend(root, kinds, bottom)
    return tostring(root, "unicode") + "\n"


def sheet(name: str, kind: str, style: str, size: tuple[float, float]) -> Element:
    """Returns an SVG document without content.

    Args:
        name: what readers without sight are told.
        kind: the class of the document, by which `style` names what is in it.
        style: its CSS, in which `.sheet` is the background.
        size: width and height, in pixels.
    """
    width, height = size
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": kind,
            "role": "img",
            "aria-label": name,
            "width": f"{width:.0f}",
            "height": f"{height:.0f}",
            "viewBox": f"0 0 {width:.0f} {height:.0f}",
        },
    )
    SubElement(root, "style").text = style
    SubElement(root, "rect", {"class": "sheet", "width": "100%", "height": "100%"})
    return root


def page(picture: str, table: str) -> str:
    """Returns an HTML page of a picture and of the table of a report."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>eddyline why</title>'
        f"<style>{_PAGE}</style></head>\n<body><figure>{picture}</figure>\n{table}</body></html>\n"
    )


def _edges(root: Element, boxes: Sequence[Box]) -> None:
    at = {box.node.id: box for box in boxes}
    for box in boxes:
        if box.node.parent is None:
            continue
        above = at[box.node.parent]
        turn = box.y - GAP
        path = f"M{box.middle:.1f} {box.y:.1f} V{turn:.1f} H{above.middle:.1f} "
        path += f"V{above.y + above.height:.1f}"
        SubElement(root, "path", {"class": "edge", "d": path})
        if box.node.moved:
            write_text(root, "count", box.middle + 6, box.y - 8, box.node.moved)


def _box(root: Element, box: Box) -> None:
    node = box.node
    group = SubElement(root, "g", {"class": node.kind.lower()})
    whole = (node.name, node.text, node.label, node.moved)
    SubElement(group, "title").text = "\n".join(filter(None, whole))
    _outline(group, node.kind, (box.x, box.y), (box.width, box.height))
    last = len(box.lines) - 1
    for number, line in enumerate(box.lines):
        is_label = bool(node.label) and number == last
        kind = "label" if is_label else "name struck" if number == 0 else "struck"
        write_text(group, kind, box.x + PAD, box.y + PAD + LINE * (number + 0.75), line)


def _outline(group: Element, kind: str, at: tuple[float, float], size: tuple[float, float]) -> None:
    (x, y), (width, height) = at, size
    shape = {"x": x, "y": y, "width": width, "height": height, "rx": _CORNER.get(kind, 0)}
    SubElement(group, "rect", {"class": "box", **{k: f"{v:.1f}" for k, v in shape.items()}})
    if kind == "STATE":
        SubElement(group, "path", {"class": "lid", "d": f"M{x:.1f} {y + 6:.1f} h{width:.1f}"})


def _legend(root: Element, kinds: Sequence[str], top: float) -> None:
    x = float(GAP)
    for kind in kinds:
        group = SubElement(root, "g", {"class": f"legend {kind.lower()}"})
        _outline(group, kind, (x, top), (36, 20))
        write_text(group, "struck" if kind == "SAVED" else "", x + 44, top + 14, _LEGEND[kind])
        x = _after(kind, x)


def _legend_end(kinds: Sequence[str]) -> float:
    x = float(GAP)
    for kind in kinds:
        x = _after(kind, x)
    return x


def _after(kind: str, x: float) -> float:
    return x + 44 + len(_LEGEND[kind]) * CHAR + GAP


def write_text(parent: Element, kind: str, x: float, y: float, text: str) -> None:
    """Adds a line of text, of a class, at a place."""
    SubElement(parent, "text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}"}).text = text
