"""The interface of the modules that read the clauses."""

from __future__ import annotations

from typing import Protocol

from eddyline.lowering.reader import Clause
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens


class ClauseModule(Protocol):
    """The names that the module of a clause offers to the scanner."""

    ROLE: Role
    """The place where the clause stands."""

    STAND_IN: str
    """The text that replaces the clause where a text is only split into statements."""

    FIRST: frozenset[str]
    """The words that may be the first of the clause."""

    def starts(self, tokens: Tokens, index: int) -> bool:
        """Returns whether the word at `index` begins the clause; Spark has refused the text."""

    def read(self, tokens: Tokens, index: int) -> Clause:
        """Reads the clause at `index`. Raises `ClauseError`."""
