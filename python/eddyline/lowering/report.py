"""The reader of EXPLAIN CLAUSES: `sql/grammar/report.ebnf` on tokens.

`EXPLAIN CLAUSES query` becomes a call of `__eddyline_explain_clauses(TABLE(query))`, and
`EXPLAIN CLAUSES STREAMING QUERY tops` a call of `__eddyline_explain_clauses(name => 'tops')`.

A statement that writes cannot be an argument. It becomes Spark's EXPLAIN of the statement with a
CTE that marks it: `EXPLAIN WITH __eddyline_explain_clauses AS (SELECT 1) INSERT INTO …`, or
`EXPLAIN CREATE TABLE t AS WITH __eddyline_explain_clauses AS (SELECT 1) SELECT * FROM (query)`.
Of `UPSERT INTO t KEY (k) query`, which only a streaming query runs, the query is explained.
"""

from __future__ import annotations

from eddyline.lowering.edits import Edit
from eddyline.lowering.query import begins_query, begins_statement, begins_write
from eddyline.lowering.reader import Clause, StatementReader
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens

ROLE = Role.STATEMENT
STAND_IN = StatementReader.stand_in
FIRST = frozenset(["EXPLAIN"])
CALL = "__eddyline_explain_clauses"

_CALL = f"SELECT * FROM {CALL}("
_MARK = f"{CALL} AS (SELECT 1)"
_WHAT = "a query or a statement that writes"


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins EXPLAIN CLAUSES."""
    explains = tokens.key(index) in FIRST and tokens.key(index + 1) == "CLAUSES"
    return explains and begins_statement(tokens, index)


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the statement at `index`. Raises `ClauseError`, EDDYLINE_REPORT.SYNTAX_ERROR."""
    return _Reader(tokens, index).read()


class _Reader(StatementReader):
    """Reads one statement."""

    condition = "EDDYLINE_REPORT"

    def read(self) -> Clause:
        self.at += 1
        if self.key() == "STREAMING":
            return self.read_name()
        if self.key() == "UPSERT":
            self.skip_upsert()
        elif self.key() in ("CREATE", "REPLACE"):
            return self.read_create()
        elif begins_write(self.tokens, self.at):
            return self.read_write()
        return self.read_query()

    def read_query(self) -> Clause:
        """Reads the query, which may have clauses itself."""
        is_table = self.key() == "TABLE" and self.tokens.is_name(self.at + 1)
        if not is_table and not begins_query(self.tokens, self.at):
            raise self.expected(_WHAT, "Write EXPLAIN CLAUSES SELECT ….")
        self.replace_words(self.first, self.at - 1, f"{_CALL}TABLE(", "query")
        return self.before_statement("))", "query")

    def read_name(self) -> Clause:
        """Reads STREAMING QUERY name."""
        hint = "Write EXPLAIN CLAUSES STREAMING QUERY name."
        self.take("STREAMING", "QUERY")
        self.replace_words(self.first, self.at - 1, _CALL)
        self.read_query_name("", hint)
        return self.end_statement(hint=hint)

    def read_write(self) -> Clause:
        """Reads [WITH …] INSERT or MERGE."""
        start = self.at
        has_with = self.key() == "WITH"
        if has_with:
            start += 2 if self.tokens.key(self.at + 1) == "RECURSIVE" else 1
        self.replace(self.tokens.words[self.first + 1], "")
        offset = self.tokens.words[start].start
        self.edits.append(Edit(offset, offset, f"{_MARK}, " if has_with else f"WITH {_MARK} "))
        return self.before_statement("")

    def read_create(self) -> Clause:
        """Reads CREATE [OR REPLACE] TABLE … AS query or REPLACE TABLE … AS query."""
        after = [self.tokens.key(self.at + i) for i in (1, 2, 3)]
        ends = [
            at
            for at in self.tokens.top_level(self.at, self.end)
            if self.tokens.key(at) == "AS" and begins_query(self.tokens, at + 1)
        ]
        if not (after[0] == "TABLE" or after == ["OR", "REPLACE", "TABLE"]) or not ends:
            hint = "Write EXPLAIN CLAUSES CREATE TABLE … AS SELECT …."
            raise self.expected(_WHAT, hint)
        self.replace(self.tokens.words[self.first + 1], "")
        offset = self.tokens.words[ends[0] + 1].start
        self.edits.append(Edit(offset, offset, f"WITH {_MARK} SELECT * FROM ("))
        return self.before_statement(")")

    def skip_upsert(self) -> None:
        """Skips UPSERT INTO [TABLE] name KEY (column, …)."""
        hint = "Write EXPLAIN CLAUSES UPSERT INTO table KEY (column) SELECT …."
        self.take("UPSERT", "INTO")
        if self.key() == "TABLE":
            self.at += 1
        self.read_relation_name("a table", hint)
        if self.key() != "KEY" or self.tokens.key(self.at + 1) != "(":
            raise self.expected("KEY and columns in parentheses", hint)
        self.at = self.tokens.after(self.at + 1)
