"""Reads the grammars of the clauses, `sql/grammar/*.ebnf`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

_TOKEN = re.compile(r'\(\*.*?\*\)|"([^"]+)"|(\w+)|([=|;()\[\]{}])', re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Leaf:
    """A word or a sign of the language, or an operand, such as `identifier`."""

    text: str
    operand: bool = False

    @property
    def is_word(self) -> bool:
        """Whether it is a word of the language."""
        return not self.operand and self.text[0].isalpha()


@dataclass(frozen=True)
class Rule:
    """A rule of the same grammar, by its name."""

    name: str


@dataclass(frozen=True)
class Sequence:
    """Parts that follow each other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """Parts of which one stands there."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Optional:
    """A part that may be absent; if `repeats`, it may also stand there several times."""

    part: Node
    repeats: bool


Node = Leaf | Rule | Sequence | Choice | Optional


@dataclass(frozen=True)
class Grammar:
    """The grammar of a clause: its rules by name, in the order of the file."""

    rules: dict[str, Node]

    @property
    def roots(self) -> list[str]:
        """The names of the rules that no other rule names."""
        named = {
            node.name
            for top in self.rules.values()
            for node in _nodes(top)
            if isinstance(node, Rule)
        }
        return [name for name in self.rules if name not in named]

    @property
    def options(self) -> list[str]:
        """The names of the rules that stand where a part may be absent."""
        named = [
            node.name
            for top in self.rules.values()
            for optional in _nodes(top)
            if isinstance(optional, Optional)
            for node in _nodes(optional.part)
            if isinstance(node, Rule)
        ]
        return list(dict.fromkeys(named))


def _nodes(node: Node) -> Iterator[Node]:
    """Yields a node and all nodes inside it."""
    yield node
    parts = node.parts if isinstance(node, (Sequence, Choice)) else ()
    for part in (node.part,) if isinstance(node, Optional) else parts:
        yield from _nodes(part)


@cache
def grammars() -> dict[str, Grammar]:
    """Returns the grammar of each clause, by the stem of its file."""
    folder = files("eddyline").joinpath("sql/grammar")
    texts = {
        path.name.removesuffix(".ebnf"): path.read_text(encoding="utf-8")
        for path in folder.iterdir()
    }
    return {stem: parse(texts[stem]) for stem in sorted(texts)}


def parse(text: str) -> Grammar:
    """Returns the grammar in a text.

    >>> parse('emit = "EMIT" [ "ON" column ] ;').rules["emit"].parts[0]
    Leaf(text='EMIT', operand=False)
    """
    tokens = [found for found in _TOKEN.finditer(text) if found.lastindex]
    defined = {a[2] for a, b in pairwise(tokens) if b[3] == "="}
    reader = _Reader(tokens, defined)
    rules = {}
    while reader.at < len(tokens):
        name = tokens[reader.at][2]
        reader.at += 2
        rules[name] = reader.choice()
        reader.at += 1
    return Grammar(rules)


class _Reader:
    """Reads the right sides of rules."""

    def __init__(self, tokens: list[re.Match[str]], defined: set[str]) -> None:
        self.tokens = tokens
        self.defined = defined
        self.at = 0

    def choice(self) -> Node:
        parts = [self.sequence()]
        while self.tokens[self.at][3] == "|":
            self.at += 1
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Node:
        parts = []
        while (sign := self.tokens[self.at][3]) is None or sign in _CLOSING:
            parts.append(self.part())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def part(self) -> Node:
        token = self.tokens[self.at]
        self.at += 1
        if token[1]:
            return Leaf(token[1])
        if token[2]:
            return Rule(token[2]) if token[2] in self.defined else Leaf(token[2], operand=True)
        inner = self.choice()
        assert self.tokens[self.at][3] == _CLOSING[token[3]], token
        self.at += 1
        return inner if token[3] == "(" else Optional(inner, repeats=token[3] == "{")
