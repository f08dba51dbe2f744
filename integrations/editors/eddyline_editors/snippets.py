"""Snippets of Visual Studio Code: each form of a clause, with places for its operands."""

from __future__ import annotations

from itertools import product
from typing import Any

from eddyline.grammar.ebnf import Choice, Grammar, Leaf, Node, Optional, Rule, grammars

_BEFORE_NO_BLANK = frozenset(")],.")
# names of operands in the grammar of Spark, and what they are called in a snippet
_SHOWN = {
    "createTableClauses": "clauses",
    "identifierReference": "table",
    "multipartIdentifier": "table",
    "namedExpression": "expression",
    "propertyList": "properties",
    "relationPrimary": "table",
    "statement": "query",
}


def snippets() -> dict[str, Any]:
    """Returns the snippets by what they write, as JSON.

    The parts that may be absent are left out, but for the keys of a branch. The rules of such
    parts have snippets of their own.

    >>> snippets()["EMIT EVERY"]["body"]
    'EMIT EVERY ${1:number} ${2:unit}'
    """
    found: dict[str, Any] = {}
    for stem, grammar in grammars().items():
        for name in (*grammar.roots, *grammar.options):
            for form in _forms(grammar, Rule(name)):
                _add(found, stem, form)
    return {title: found[title] for title in sorted(found)}


def _add(found: dict[str, Any], stem: str, form: tuple[Leaf, ...]) -> None:
    words = [leaf.text for leaf in form if leaf.is_word]
    if form[0].is_word or (stem == "assume" and words):
        # what is claimed comes before the claim, so it is there already
        start = next(at for at, leaf in enumerate(form) if leaf.is_word)
        title = " ".join(words)
        if title in found and found[title]["body"] != _body(form[start:]):
            title += f" ({stem})"
        found[title] = {
            "prefix": title.partition(" (")[0].lower(),
            "body": _body(form[start:]),
            "description": f"eddyline, {stem}",
        }


def _forms(grammar: Grammar, node: Node) -> list[tuple[Leaf, ...]]:
    """Returns the sequences of words and operands that a part of the grammar may be."""
    if isinstance(node, Rule):
        return _forms(grammar, grammar.rules[node.name])
    if isinstance(node, Leaf):
        return [(node,)]
    if isinstance(node, Optional):
        kept = _forms(grammar, node.part)
        return kept if kept[0] and kept[0][0].text == "BY" else [()]
    forms = [_forms(grammar, part) for part in node.parts]
    if isinstance(node, Choice):
        every = [form for part in forms for form in part]
        # of ways that differ in their operands only, one is enough
        return every if any(leaf.is_word for form in every for leaf in form) else every[:1]
    return [sum(parts, ()) for parts in product(*forms)]


def _body(form: tuple[Leaf, ...]) -> str:
    text, places = "", 0
    for leaf in form:
        if leaf.operand:
            places += 1
        piece = f"${{{places}:{_SHOWN.get(leaf.text, leaf.text)}}}" if leaf.operand else leaf.text
        close = leaf.text in _BEFORE_NO_BLANK or not text or text.endswith(("(", "."))
        text += piece if close else f" {piece}"
    return text
