"""sqlglot's Spark dialect, with a tokenizer that splits every statement into tokens."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.tokens import Token, TokenType

from eddyline.comments import after_comment


class EddylineTokens(Spark):
    """The dialect that splits Spark SQL into tokens and parses nothing.

    sqlglot's tokenizer swallows what follows EXPLAIN, SHOW or EXECUTE as one string, because its
    parser treats these as opaque commands. A clause may stand there, so no word is a command here.
    """

    class Tokenizer(Spark.Tokenizer):
        """Spark's tokenizer without commands."""

        COMMANDS: ClassVar[set[TokenType]] = set()


_DIALECT = EddylineTokens()

QUOTED = r"""\b[rR]'[^']*'|\b[rR]"[^"]*"|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`"""
"""Matches what Spark's lexer takes as one token: raw strings, strings and quoted names."""
LINE_COMMENT = r"--(?:\\\n|[^\r\n])*"
"""Matches a comment, which goes on after a line that ends with a backslash."""

_OPAQUE = re.compile(
    rf"""{QUOTED}|['"`].*|(?P<line>{LINE_COMMENT})|(?P<bracketed>/\*(?!\+))""", re.DOTALL
)
_MORE_THAN_SQLGLOT = re.compile(r"/\*\+|\\\n")


def tokenize(sql: str) -> list[Token]:
    r"""Returns the tokens of `sql`. Raises `sqlglot.errors.TokenError`.

    >>> [token.text for token in tokenize("SELECT 1 -- one \\\n is not two\n, 3")]
    ['SELECT', '1', ',', '3']
    """
    return _DIALECT.tokenize(with_plain_comments(sql))


def with_plain_comments(sql: str) -> str:
    """Returns `sql`, of the same length, with comments that end for sqlglot as they do for Spark.

    In a line comment blanks stand for newlines, and in brackets for the `*` of a hint, which opens
    no comment there.
    """
    if not _MORE_THAN_SQLGLOT.search(sql):
        return sql
    pieces, position, at = [], 0, 0
    while found := _OPAQUE.search(sql, at):
        start, at = found.span()
        if found.lastgroup == "bracketed":
            at = after_comment(sql, at, len(sql)) or len(sql)
            pieces += [sql[position:start], sql[start:at].replace("/*+", "/ +")]
            position = at
        elif found.lastgroup == "line":
            pieces += [sql[position:start], sql[start:at].replace("\n", " ")]
            position = at
    return "".join([*pieces, sql[position:]])
