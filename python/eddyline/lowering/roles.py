"""The roles and keywords of all clauses, which is what they may know of each other.

The keywords come from `sql/keywords.toml`.
"""

from __future__ import annotations

from enum import Enum

from eddyline.versions import read_toml

_KEYWORDS = read_toml("sql/keywords.toml")


class Role(Enum):
    """The place of a clause in a statement."""

    PRIMARY = "primary"
    """The clause is a query."""

    TAIL = "tail"
    """The clause ends a query."""

    RELATION = "relation"
    """The clause follows a relation."""

    STATEMENT = "statement"
    """The clause is a statement."""

    @property
    def first_words(self) -> frozenset[str]:
        """The first words of the clauses of this role.

        >>> "STREAMING" in Role.STATEMENT.first_words
        True
        """
        return frozenset(
            word for word, facts in _KEYWORDS.items() if self.value == facts.get("role")
        )

    @property
    def heads(self) -> frozenset[tuple[str, str]]:
        """The first words of the clauses of this role, each with a word that may follow it.

        >>> ("ASSUME", "PARTITIONED") in Role.RELATION.heads
        True
        """
        return frozenset(
            (word, follower)
            for word in self.first_words
            for follower in _KEYWORDS[word]["before"]
            if follower.isalpha()
        )


KEYWORDS = frozenset(_KEYWORDS)
"""The words of all clauses."""
OPERAND_FOLLOWS = frozenset(word for word, facts in _KEYWORDS.items() if facts.get("operand"))
"""The words of clauses after which an operand must follow."""
