"""What the clauses must know of each other: the words of `sql/keywords.toml`, and no more."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYWORDS = tomllib.loads((Path(__file__).parents[1] / "sql/keywords.toml").read_text())


class Role(Enum):
    """Where a clause stands."""

    PRIMARY = "primary"
    """It is a query."""

    TAIL = "tail"
    """It ends a query."""

    RELATION = "relation"
    """It follows a relation."""

    STATEMENT = "statement"
    """It is a statement."""

    @property
    def first_words(self) -> frozenset[str]:
        """The words by which such clauses are known.

        >>> sorted(Role.STATEMENT.first_words)
        ['GLOBAL', 'STREAMING']
        """
        return frozenset(
            word for word, facts in _KEYWORDS.items() if self.value == facts.get("role")
        )

    @property
    def heads(self) -> frozenset[tuple[str, str]]:
        """The first words of such clauses, each with a word that may follow it.

        >>> sorted(Role.RELATION.heads)
        [('ASSUME', 'PARTITION'), ('ASSUME', 'PARTITIONED')]
        """
        return frozenset(
            (word, follower) for word in self.first_words for follower in _KEYWORDS[word]["before"]
        )


OPERAND_FOLLOWS = frozenset(word for word, facts in _KEYWORDS.items() if facts.get("operand"))
"""The words of clauses after which an operand must follow."""
