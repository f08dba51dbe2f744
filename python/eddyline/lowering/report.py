"""The reader of EXPLAIN CLAUSES: `sql/grammar/report.ebnf` on tokens.

`EXPLAIN CLAUSES query` becomes a call of `__eddyline_explain_clauses(TABLE(query))`, and
`EXPLAIN CLAUSES STREAMING QUERY tops` a call of `__eddyline_explain_clauses(name => X'746f7073')`.
"""

from __future__ import annotations

from eddyline.lowering.edits import Edit
from eddyline.lowering.query import begins_query, begins_statement
from eddyline.lowering.reader import Clause, StatementReader
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens

ROLE = Role.STATEMENT
STAND_IN = StatementReader.stand_in

_CALL = "SELECT * FROM __eddyline_explain_clauses("


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins EXPLAIN CLAUSES."""
    words = (tokens.key(index), tokens.key(index + 1))
    return words == ("EXPLAIN", "CLAUSES") and begins_statement(tokens, index)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the statement at `index`. Raises `ClauseError`, EDDYLINE_REPORT.SYNTAX_ERROR."""
    return _Reader(tokens, index).read()


class _Reader(StatementReader):
    """Reads one statement."""

    condition = "EDDYLINE_REPORT"

    def read(self) -> Clause:
        self.take("CLAUSES")
        if self.key() == "STREAMING":
            return self.read_name()
        is_table = self.key() == "TABLE" and self.tokens.is_name(self.at + 1)
        if not is_table and not begins_query(self.tokens, self.at):
            raise self.expected("a query", "Write EXPLAIN CLAUSES SELECT ….")
        self.replace_words(self.first, self.at - 1, f"{_CALL}TABLE(", "query")
        words = self.tokens.words
        end = words[self.end - 1].stop
        first, last = words[self.first], words[self.at - 1]
        closing = Edit(end, end, "))", "query")
        return Clause(first.start, last.stop, self.at, self.edits, "EXPLAIN", closing)

    def read_name(self) -> Clause:
        """Reads STREAMING QUERY name."""
        hint = "Write EXPLAIN CLAUSES STREAMING QUERY name."
        self.take("STREAMING", "QUERY")
        name = self.tokens.words[self.at].name if self.at < self.end else ""
        if not name or not self.tokens.is_name(self.at):
            raise self.expected("the name of a streaming query", hint)
        self.replace_words(self.first, self.at - 1, _CALL)
        self.replace(self.tokens.words[self.at], f"name => X'{name.encode().hex()}'")
        self.at += 1
        return self.end_statement(hint=hint)
