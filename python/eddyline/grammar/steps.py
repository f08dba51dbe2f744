"""What may follow each word of a clause."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from eddyline.grammar.ebnf import Choice, Grammar, Leaf, Node, Optional, Rule, grammars


@dataclass
class Step:
    """One place of the grammar.

    Attributes:
        leaf: what stands there.
        following: indexes of the steps that may follow.
        ends: whether the clause may end there.
    """

    leaf: Leaf
    following: list[int] = field(default_factory=list)
    ends: bool = False


@dataclass(frozen=True)
class Steps:
    """The places of a grammar in their order.

    Attributes:
        steps: all places; a rule that is named twice has its places twice.
        first: indexes of those with which the clause may begin.
    """

    steps: list[Step]
    first: list[int]

    def of(self, word: str) -> list[int]:
        """Returns the indexes of the steps at which a word stands."""
        return [index for index, step in enumerate(self.steps) if step.leaf.text == word]

    def reachable(self, start: list[int]) -> list[int]:
        """Returns the indexes of the steps that may come after some steps, in their order."""
        found: set[int] = set()
        ahead = [index for step in start for index in self.steps[step].following]
        while ahead:
            index = ahead.pop()
            if index not in found:
                found.add(index)
                ahead += self.steps[index].following
        return sorted(found)


@cache
def steps(stem: str) -> Steps:
    """Returns the steps of a clause.

    Raises:
        LookupError: if a keyword belongs to a clause that has no grammar.
    """
    grammar = grammars().get(stem)
    if grammar is None:
        raise LookupError(f"sql/grammar/{stem}.ebnf is missing")
    builder = _Builder(grammar)
    first: list[int] = []
    for root in grammar.roots:
        part = builder.add(grammar.rules[root])
        first += part.first
        for index in part.last:
            builder.steps[index].ends = True
    return Steps(builder.steps, first)


@dataclass(frozen=True)
class _Part:
    """The first and last steps of a part of the grammar, which may be absent."""

    first: list[int]
    last: list[int]
    absent: bool


class _Builder:
    """Numbers the places of a grammar (Glushkov's construction)."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.steps: list[Step] = []

    def add(self, node: Node) -> _Part:
        if isinstance(node, Rule):
            return self.add(self.grammar.rules[node.name])
        if isinstance(node, Leaf):
            self.steps.append(Step(node))
            return _Part([len(self.steps) - 1], [len(self.steps) - 1], absent=False)
        if isinstance(node, Optional):
            part = self.add(node.part)
            if node.repeats:
                self.join(part.last, part.first)
            return _Part(part.first, part.last, absent=True)
        parts = [self.add(part) for part in node.parts]
        if isinstance(node, Choice):
            return _Part(
                [index for part in parts for index in part.first],
                [index for part in parts for index in part.last],
                any(part.absent for part in parts),
            )
        return self.sequence(parts)

    def sequence(self, parts: list[_Part]) -> _Part:
        whole = _Part([], [], absent=True)
        for part in parts:
            self.join(whole.last, part.first)
            first = whole.first + part.first if whole.absent else whole.first
            last = whole.last + part.last if part.absent else part.last
            whole = _Part(first, last, whole.absent and part.absent)
        return whole

    def join(self, before: list[int], after: list[int]) -> None:
        for index in before:
            known = self.steps[index].following
            known += [step for step in after if step not in known]
