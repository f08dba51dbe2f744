"""What a rule finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RuleHit:
    """A place that the check of a rule has found, of which `Finding` is the form for users.

    Attributes:
        index: index of the word at which it stands.
        message: one sentence of fact.
        hint: what to do; None if that is the fix of the rule.
    """

    index: int
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class Finding:
    """A place in a text that a rule is about.

    Attributes:
        line: number of the line of its word, from 1.
        column: number of its column in characters, from 1.
        rule: id of the rule, such as `EL01`.
        name: name of the rule.
        message: one sentence of fact.
        hint: what to do.
    """

    line: int
    column: int
    rule: str
    name: str
    message: str
    hint: str
