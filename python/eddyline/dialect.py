"""sqlglot's Spark dialect, with a tokenizer that leaves every statement in tokens."""

from __future__ import annotations

from typing import ClassVar

from sqlglot.dialects.spark import Spark
from sqlglot.tokens import Token, TokenType


class EddylineTokens(Spark):
    """Spark SQL as a stream of tokens; nothing is parsed.

    sqlglot's tokenizer swallows what follows EXPLAIN, SHOW or EXECUTE as one string, because its
    parser treats these as opaque commands. A clause may stand there, so no word is a command here.
    """

    class Tokenizer(Spark.Tokenizer):
        """Spark's tokenizer without commands."""

        COMMANDS: ClassVar[set[TokenType]] = set()


_DIALECT = EddylineTokens()


def tokenize(sql: str) -> list[Token]:
    """The tokens of `sql`; comments are no tokens. Raises `sqlglot.errors.TokenError`."""
    return _DIALECT.tokenize(sql)
