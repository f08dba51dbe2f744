"""sqlglot's Spark dialect, with a tokenizer that splits every statement into tokens."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.tokens import Token, TokenType


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

_OPAQUE = re.compile(rf"{QUOTED}|/\*.*?\*/|(?P<comment>{LINE_COMMENT})", re.DOTALL)


def tokenize(sql: str) -> list[Token]:
    r"""Returns the tokens of `sql`, without comments. Raises `sqlglot.errors.TokenError`.

    >>> [token.text for token in tokenize("SELECT 1 -- one \\\n is not two\n, 3")]
    ['SELECT', '1', ',', '3']
    """
    return _DIALECT.tokenize(with_comments_of_one_line(sql))


def with_comments_of_one_line(sql: str) -> str:
    """Returns `sql` with blanks for the newlines in comments, which sqlglot does not know."""
    if "\\\n" in sql and "--" in sql:
        return _OPAQUE.sub(_in_one_line, sql)
    return sql


def _in_one_line(opaque: re.Match[str]) -> str:
    text = opaque.group()
    return text.replace("\n", " ") if opaque["comment"] else text
