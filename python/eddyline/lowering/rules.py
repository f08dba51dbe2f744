"""The reader of SHOW EDDYLINE RULES: `sql/grammar/rules.ebnf` on tokens.

It becomes `SELECT * FROM __eddyline_show_rules()`.
"""

from __future__ import annotations

from eddyline.lowering.query import begins_statement
from eddyline.lowering.reader import Clause, StatementReader
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens

ROLE = Role.STATEMENT
STAND_IN = StatementReader.stand_in
FIRST = frozenset(["SHOW"])


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins SHOW EDDYLINE."""
    if tokens.key(index) not in FIRST or tokens.key(index + 1) != "EDDYLINE":
        return False
    return begins_statement(tokens, index)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the statement at `index`. Raises `ClauseError`, EDDYLINE_RULES.SYNTAX_ERROR."""
    return _Reader(tokens, index).read()


class _Reader(StatementReader):
    """Reads the statement."""

    condition = "EDDYLINE_RULES"

    def read(self) -> Clause:
        self.take("EDDYLINE")
        if self.key() != "RULES":
            raise self.expected("RULES", "Write SHOW EDDYLINE RULES.")
        self.replace_words(self.first, self.at, "SELECT * FROM __eddyline_show_rules(")
        self.at += 1
        return self.end_statement(hint="Write SHOW EDDYLINE RULES.")
