"""Railroad diagrams of the grammars of the clauses, `sql/grammar/*.ebnf`, as SVG.

`website/theme/assets/eddyline.css` gives them their colors.
"""

from __future__ import annotations

import html
import importlib.util
import io
import sys
from pathlib import Path
from types import ModuleType

import railroad

ROOT = Path(__file__).resolve().parents[1]
WIDEST = 560  # pixels; a longer sequence goes on in the next line
railroad.INTERNAL_ALIGNMENT = "left"


def _module(path: Path) -> ModuleType:
    """Returns a module that only needs the standard library, without its package, which needs more.

    Args:
        path: path of its file.
    """
    spec = importlib.util.spec_from_file_location(f"eddyline_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


ebnf = _module(ROOT / "python/eddyline/grammar/ebnf.py")


def stems() -> list[str]:
    """Returns the stems of the clauses that have a grammar."""
    return sorted(path.stem for path in (ROOT / "sql/grammar").glob("*.ebnf"))


def diagrams(stem: str, is_open: bool = False) -> str:
    """Returns the diagrams of a clause as HTML.

    Those of its statements come first, those of their parts in an element that a click opens.

    Args:
        stem: stem of the clause.
        is_open: whether that element is open.
    """
    grammar = ebnf.parse((ROOT / f"sql/grammar/{stem}.ebnf").read_text("utf-8"))
    shown = [name for root in grammar.roots for name in _statements(grammar, root)]
    parts = [name for name in grammar.rules if name not in shown and name not in grammar.roots]
    text = "".join(_figure(stem, grammar, name) for name in shown)
    if parts:
        inner = "".join(_figure(stem, grammar, name) for name in parts)
        head = f"<details{' open' * is_open}><summary>Parts of the diagram</summary>"
        text += f"{head}{inner}</details>"
    return f'<div class="railroad">{text}</div>'


def _statements(grammar: ebnf.Grammar, root: str) -> list[str]:
    """Returns the rules of a root that is nothing but a choice of rules, or else the root."""
    node = grammar.rules[root]
    if isinstance(node, ebnf.Choice) and all(isinstance(part, ebnf.Rule) for part in node.parts):
        return [part.name for part in node.parts]
    return [root]


def _figure(stem: str, grammar: ebnf.Grammar, name: str) -> str:
    node = grammar.rules[name]
    choices = node.parts if isinstance(node, ebnf.Choice) else (node,)
    lines = [_wrapped(stem, choice) for choice in choices]
    item = lines[0] if len(lines) == 1 else railroad.Choice(0, *lines)
    diagram = railroad.Diagram(item)
    diagram.attrs |= {"role": "img", "aria-label": f"Railroad diagram of {name}"}
    svg = io.StringIO()
    diagram.writeSvg(svg.write)
    return (
        f'<figure id="{_anchor(stem, name)}"><figcaption>{html.escape(name)}</figcaption>'
        f'<div class="scroll" tabindex="0">{svg.getvalue()}</div></figure>'
    )


def _anchor(stem: str, name: str) -> str:
    return f"grammar-{stem}-{name}"


def _wrapped(stem: str, node: ebnf.Node) -> railroad.DiagramItem:
    """Returns the item of a node; a long sequence takes several lines."""
    items = _items(stem, node.parts) if isinstance(node, ebnf.Sequence) else [_item(stem, node)]
    lines: list[list[railroad.DiagramItem]] = [[]]
    for item in items:
        if lines[-1] and sum(each.width + 20 for each in [*lines[-1], item]) > WIDEST:
            lines.append([])
        lines[-1].append(item)
    if len(lines) == 1:
        return railroad.Sequence(*items)
    return railroad.Stack(*(railroad.Sequence(*line) for line in lines))


def _items(stem: str, parts: tuple[ebnf.Node, ...]) -> list[railroad.DiagramItem]:
    """Returns the items of a sequence.

    Words that follow each other are one item, and `x { "," x }` is a loop.
    """
    items: list[railroad.DiagramItem] = []
    words: list[str] = []
    for number, part in enumerate(parts):
        after = parts[number + 1] if number + 1 < len(parts) else None
        if isinstance(part, ebnf.Leaf) and part.is_word:
            words.append(part.text)
            continue
        if words:
            items.append(railroad.Terminal(" ".join(words)))
            words = []
        if number and _repeats(parts[number - 1], part):
            continue
        if after is not None and _repeats(part, after):
            *between, _ = after.part.parts
            sign = railroad.Sequence(*_items(stem, tuple(between))) if between else None
            items.append(railroad.OneOrMore(_item(stem, part), sign))
        else:
            items.append(_item(stem, part))
    if words:
        items.append(railroad.Terminal(" ".join(words)))
    return items


def _repeats(part: ebnf.Node, after: ebnf.Node) -> bool:
    """Returns whether a node repeats the one before it, as the braces of `x { "," x }` do."""
    return (
        isinstance(after, ebnf.Optional)
        and after.repeats
        and isinstance(after.part, ebnf.Sequence)
        and after.part.parts[-1] == part
    )


def _item(stem: str, node: ebnf.Node) -> railroad.DiagramItem:
    if isinstance(node, ebnf.Leaf):
        return railroad.NonTerminal(node.text) if node.operand else railroad.Terminal(node.text)
    if isinstance(node, ebnf.Rule):
        return railroad.NonTerminal(node.name, href=f"#{_anchor(stem, node.name)}", cls="rule")
    if isinstance(node, ebnf.Sequence):
        return railroad.Sequence(*_items(stem, node.parts))
    if isinstance(node, ebnf.Choice):
        return railroad.Choice(0, *(_item(stem, part) for part in node.parts))
    part = _item(stem, node.part)
    return railroad.ZeroOrMore(part) if node.repeats else railroad.Optional(part)
