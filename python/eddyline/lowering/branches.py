"""The branches of a COGROUP and their keys, by the places of their words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """One key of a branch.

    Attributes:
        first: index of the first word of its expression.
        stop: index after the expression, of AS if the key has a name.
        name: the name that AS gives it, or None.
    """

    first: int
    stop: int
    name: str | None


@dataclass(frozen=True)
class Branch:
    """One branch.

    Attributes:
        name: its name as typed, or one that was made up.
        index: index of its first word.
        stop: index after its relation and condition.
        has_keys: whether it has a BY.
        keys: the keys of its BY.
    """

    name: str
    index: int
    stop: int
    has_keys: bool
    keys: tuple[Key, ...]
