"""The arguments of the calls that the lowering writes, from `sql/placeholders.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from eddyline.versions import read_toml


@dataclass(frozen=True)
class Argument:
    """One argument of a call.

    Attributes:
        name: its name.
        type: what its value is.
        words: the words of the clause that say it, with `…` where the value stands between them.
        values: for each of its values the words that say it; empty if it takes any value.
        needs: the argument without which it says nothing, or an empty string.
        instead_of: the argument beside which it cannot stand, or an empty string.
    """

    name: str
    type: str
    words: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""
    instead_of: str = ""

    def sql(self, value: str) -> str:
        """Returns the words of the clause with the value; those of a flag say all.

        >>> Argument("partitions", "number", "INTO … PARTITIONS").sql("8")
        'INTO 8 PARTITIONS'
        """
        if self.type == "flag":
            return self.words
        said = self.values.get(value, value)
        return self.words.replace("…", said) if "…" in self.words else f"{self.words} {said}"


@cache
def arguments(function: str) -> tuple[Argument, ...]:
    """Returns the arguments of a call in the order of its clause.

    >>> [argument.words for argument in arguments("__eddyline_emit")][:3]
    ['EVERY', 'ON', 'OF']
    """
    named = read_toml("sql/placeholders.toml")[function]
    if "like" in named:
        return arguments(named["like"])
    return tuple(Argument(name, **facts) for name, facts in named.items())
