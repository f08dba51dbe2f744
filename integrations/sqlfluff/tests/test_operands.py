"""Each operand of each clause has a grammar of sqlfluff."""

from __future__ import annotations

from eddyline.grammar.ebnf import grammars
from eddyline.grammar.steps import steps
from eddyline_sqlfluff.operands import operand


def test_sqlfluff_knows_each_operand() -> None:
    absent = []
    for stem in grammars():
        for name in {step.leaf.text for step in steps(stem).steps if step.leaf.operand}:
            try:
                operand(stem, "", name)
            except LookupError:
                absent.append(f"integrations/sqlfluff/eddyline_sqlfluff/operands.py: {name}")
    assert absent == []
