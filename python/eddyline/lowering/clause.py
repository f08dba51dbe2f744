"""What the module of a clause has."""

from __future__ import annotations

from typing import Protocol

from eddyline.lowering.reader import Clause
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens


class ClauseModule(Protocol):
    """What the module of a clause gives to the scanner."""

    ROLE: Role
    """Where the clause stands."""

    STAND_IN: str
    """What takes the place of the clause where a text is only split into statements."""

    def starts(self, tokens: Tokens, index: int) -> bool:
        """Whether the word at `index` begins the clause, in a text that Spark has refused."""

    def read(self, tokens: Tokens, index: int) -> Clause:
        """Read the clause at `index`. Raises `ClauseError`."""
