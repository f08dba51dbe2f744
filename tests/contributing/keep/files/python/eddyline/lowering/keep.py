"""The reader of KEEP: `sql/grammar/keep.ebnf` on tokens.

    SELECT k FROM t ORDER BY k KEEP FIRST 2

becomes, with the user's query and number where they were:

    SELECT * FROM __eddyline_keep(TABLE(SELECT k FROM t ORDER BY k ), count => 2)
"""

from __future__ import annotations

from eddyline.lowering.edits import Edit
from eddyline.lowering.query import query_start
from eddyline.lowering.reader import Clause, ClauseReader
from eddyline.lowering.roles import Role
from eddyline.lowering.tokens import Tokens

ROLE = Role.TAIL
STAND_IN = ""  # the clause disappears and its query stays
FIRST = frozenset(["KEEP"])


def starts(tokens: Tokens, index: int) -> bool:
    """Returns whether the word at `index` begins a KEEP; Spark has refused the text."""
    is_keep = tokens.key(index) == "KEEP" and tokens.key(index + 1) == "FIRST"
    if not is_keep or tokens.expects_operand(index):
        return False
    start = query_start(tokens, index)
    return start is not None and start < index


def read(tokens: Tokens, index: int) -> Clause:
    """Reads the clause at `index`. Raises `ClauseError`, condition EDDYLINE_KEEP.SYNTAX_ERROR."""
    return _Reader(tokens, index).read()


class _Reader(ClauseReader):
    """Reads one KEEP."""

    condition = "EDDYLINE_KEEP"

    def read(self) -> Clause:
        words, start = self.tokens.words, query_start(self.tokens, self.first)
        opening = words[start or 0].start
        self.edits.append(Edit(opening, opening, "SELECT * FROM __eddyline_keep(TABLE("))
        self.take("FIRST")
        if not self.is_number():
            raise self.expected("a number", "Write KEEP FIRST 10.")
        self.replace_words(self.first, self.at - 1, "), count =>")
        self.insert_after(self.at, ")")
        self.at += 1
        if self.at < self.end:
            raise self.expected("the end of the query", "KEEP is the last clause of a query.")
        return Clause(
            words[self.first].start, words[self.at - 1].stop, self.at, self.edits, STAND_IN
        )
