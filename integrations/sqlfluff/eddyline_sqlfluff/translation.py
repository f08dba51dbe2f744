"""Turns a part of `sql/grammar` into a grammar of sqlfluff."""

from __future__ import annotations

from collections.abc import Sequence as Parts
from types import new_class
from typing import Any

from sqlfluff.core.parser import (
    AnyNumberOf,
    BaseSegment,
    Bracketed,
    Dedent,
    Delimited,
    ImplicitIndent,
    Indent,
    Matchable,
    OneOf,
    Ref,
    Sequence,
)

from eddyline.grammar import ebnf
from eddyline_sqlfluff.operands import operand

_SIGNS = {",": "CommaSegment", ".": "DotSegment"}


def class_name(name: str) -> str:
    """Returns the name of the class of a segment, by its type.

    >>> class_name("emit_clause")
    'EmitClauseSegment'
    """
    return "".join(word.capitalize() for word in name.split("_")) + "Segment"


def part_name(stem: str, rule: str) -> str:
    """Returns the type of the segment of a rule.

    >>> part_name("cogroup", "branch")
    'cogroup_branch'
    """
    return f"{stem}_{rule}"


def define(
    module: dict[str, Any], name: str, bases: tuple[type[BaseSegment], ...], **body: object
) -> type[BaseSegment]:
    """Returns a class of segments, put among the names of a module, where pickle finds it."""
    body["__module__"] = module["__name__"]
    module[name] = made = new_class(name, bases, exec_body=lambda it: it.update(body))
    return made


class Translation:
    """Translates the body of one segment.

    >>> Translation("emit", "emit_tolerance").grammar(ebnf.grammars()["emit"].rules["tolerance"])
    <Sequence: [<Ref: 'EmitColumnSegment'>, <Ref: 'EmitAmountSegment'>]>
    """

    def __init__(self, stem: str, name: str) -> None:
        """Begins a translation.

        Args:
            stem: the stem of the clause.
            name: the type of the segment.
        """
        self.stem = stem
        self.name = name

    def grammar(self, node: ebnf.Node) -> Matchable:
        """Returns the grammar of a part."""
        if isinstance(node, ebnf.Leaf):
            return self._leaf(node)
        if isinstance(node, ebnf.Rule):
            return Ref(class_name(part_name(self.stem, node.name)))
        if isinstance(node, ebnf.Choice):
            return OneOf(*self._ways(node))
        if isinstance(node, ebnf.Optional):
            return AnyNumberOf(*self._ways(node.part)) if node.repeats else self._absent(node.part)
        return Sequence(*self._sequence(node.parts))

    def indented(self, node: ebnf.Node) -> Matchable:
        """Returns the grammar of a part, where what follows its head is indented.

        The head is the first words, with the brackets behind them. It has no end if all that may
        follow begins with words too.
        """
        parts = node.parts if isinstance(node, ebnf.Sequence) else (node,)
        head = next((at for at, part in enumerate(parts) if not _is_word(part)), len(parts))
        if head < len(parts) and parts[head] == ebnf.Leaf("("):
            head = parts.index(ebnf.Leaf(")"), head) + 1
        elif head < len(parts) and self._is_bracketed(parts[head]):
            head += 1
        if not _is_word(parts[0]) or head == len(parts) or self._begins_with_word(parts[head]):
            return self.grammar(node)
        # a list begins on a line of its own, as that of a SELECT; what else follows need not
        indent = Indent if self._is_list(parts[head:]) else ImplicitIndent
        rest = self._sequence(parts[head:])
        return Sequence(*self._sequence(parts[:head]), indent, *rest, Dedent)

    def _leaf(self, leaf: ebnf.Leaf) -> Matchable:
        if leaf.operand:
            return operand(self.stem, self.name, leaf.text)
        return Ref.keyword(leaf.text) if leaf.is_word else Ref(_SIGNS[leaf.text])

    def _ways(self, node: ebnf.Node) -> list[Matchable]:
        """Returns the grammars of the ways of a choice.

        Of two that match as much sqlfluff takes the first, which is to be the one in brackets.
        """
        ways = node.parts if isinstance(node, ebnf.Choice) else (node,)
        brackets_first = sorted(ways, key=lambda way: not self._is_bracketed(way))
        return [self.grammar(way) for way in brackets_first]

    def _absent(self, node: ebnf.Node) -> Matchable:
        """Returns the grammar of a part that may be absent."""
        if isinstance(node, ebnf.Choice):
            return OneOf(*self._ways(node), optional=True)
        parts = node.parts if isinstance(node, ebnf.Sequence) else (node,)
        return Sequence(*self._sequence(parts), optional=True)

    def _sequence(self, parts: Parts[ebnf.Node]) -> list[Matchable]:
        """Returns the grammars of parts that follow each other; brackets and lists are one."""
        found: list[Matchable] = []
        at = 0
        while at < len(parts):
            if parts[at] == ebnf.Leaf("("):
                close = parts.index(ebnf.Leaf(")"), at)
                found.append(Bracketed(*self._sequence(parts[at + 1 : close])))
                at = close + 1
            elif at + 1 < len(parts) and (sign := _sign_of_list(parts[at], parts[at + 1])):
                found.append(Delimited(self.grammar(parts[at]), delimiter=self._leaf(sign)))
                at += 2
            else:
                found.append(self.grammar(parts[at]))
                at += 1
        return found

    def _body(self, node: ebnf.Node) -> ebnf.Node:
        if isinstance(node, ebnf.Rule):
            return ebnf.grammars()[self.stem].rules[node.name]
        return node

    def _is_bracketed(self, node: ebnf.Node) -> bool:
        body = self._body(node)
        return isinstance(body, ebnf.Sequence) and body.parts[0] == ebnf.Leaf("(")

    def _begins_with_word(self, node: ebnf.Node) -> bool:
        body = self._body(node)
        if isinstance(body, ebnf.Choice):
            return all(map(self._begins_with_word, body.parts))
        return _is_word(body.parts[0] if isinstance(body, ebnf.Sequence) else body)

    def _is_list(self, parts: Parts[ebnf.Node]) -> bool:
        body = self._body(parts[0]) if len(parts) == 1 else ebnf.Sequence(tuple(parts))
        *_, last, rest = body.parts if isinstance(body, ebnf.Sequence) else (body, body)
        return _sign_of_list(last, rest) is not None


def _sign_of_list(part: ebnf.Node, rest: ebnf.Node) -> ebnf.Leaf | None:
    """Returns the sign between the items of a list, as in `key { "," key }`; else None."""
    if not isinstance(rest, ebnf.Optional) or not isinstance(rest.part, ebnf.Sequence):
        return None
    sign, *items = rest.part.parts
    if not rest.repeats or not isinstance(sign, ebnf.Leaf) or items != [part]:
        return None
    return sign if sign.text in _SIGNS else None


def _is_word(node: ebnf.Node) -> bool:
    return isinstance(node, ebnf.Leaf) and node.is_word
