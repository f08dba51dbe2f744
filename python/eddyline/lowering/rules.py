"""The reader of statements about the rules of eddyline: `sql/grammar/rules.ebnf`.

`SHOW EDDYLINE RULES` becomes `SELECT * FROM __eddyline_show_rules()`, and `EXPLAIN EDDYLINE query`
becomes `SELECT * FROM __eddyline_explain_rules(TABLE(query))`.
"""

from __future__ import annotations

from eddyline.lowering.query import begins_query, begins_statement
from eddyline.lowering.reader import Clause, StatementReader
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens

ROLE = Role.STATEMENT
STAND_IN = StatementReader.stand_in
FIRST = frozenset(["EXPLAIN", "SHOW"])
CALL = "__eddyline_explain_rules"


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a statement about the rules."""
    if tokens.key(index) not in FIRST or tokens.key(index + 1) != "EDDYLINE":
        return False
    return begins_statement(tokens, index)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the statement at `index`. Raises `ClauseError`, EDDYLINE_RULES.SYNTAX_ERROR."""
    return _Reader(tokens, index).read()


class _Reader(StatementReader):
    """Reads one statement."""

    condition = "EDDYLINE_RULES"

    def read(self) -> Clause:
        self.take("EDDYLINE")
        if self.tokens.key(self.first) == "EXPLAIN":
            return self.read_explain()
        if self.key() != "RULES":
            raise self.expected("RULES", "Write SHOW EDDYLINE RULES.")
        self.replace_words(self.first, self.at, "SELECT * FROM __eddyline_show_rules(")
        self.at += 1
        return self.end_statement(hint="Write SHOW EDDYLINE RULES.")

    def read_explain(self) -> Clause:
        """Reads the query, which may have clauses itself."""
        if self.key() != "TABLE" and not begins_query(self.tokens, self.at):
            raise self.expected("a query", "Write EXPLAIN EDDYLINE SELECT ….")
        self.replace_words(self.first, self.at - 1, f"SELECT * FROM {CALL}(TABLE(", "query")
        return self.before_statement("))", "query")
