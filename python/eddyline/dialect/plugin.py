"""The dialect `eddyline` of sqlglot."""

from __future__ import annotations

import logging
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError
from sqlglot.tokens import TokenType

from eddyline.dialect.marks import NotInTreeError
from eddyline.dialect.printing import Printer, has_marks
from eddyline.dialect.tokens import Statement, parse_error, read_statements
from eddyline.dialect.trees import command, with_clauses
from eddyline.errors import ClauseError
from eddyline.lowering.tokenizer import with_plain_comments

_TYPED = "eddyline_typed"
_logger = logging.getLogger("eddyline")


class Eddyline(Spark):
    """Spark's dialect with the clauses of eddyline.

    A text is read as the lowering reads it, so both know the same clauses. The tree has none of
    its own nodes: COGROUP is the plain SQL for which it stands, EMIT and ASSUME are marks of a
    query and a relation, and a statement is a CREATE, INSERT, DESCRIBE or Command.

    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT k FROM t EMIT ON CHANGE", dialect="eddyline")
    >>> [table.name for table in tree.find_all(exp.Table)]
    ['t']
    >>> tree.limit(3).sql("eddyline")
    'SELECT k FROM t LIMIT 3 EMIT ON CHANGE'
    >>> tree.sql("spark")
    'SELECT k FROM t'
    """

    def parse(self, sql: str, **opts: Any) -> list[exp.Expr | None]:
        """Returns the trees of the statements of a text.

        Raises:
            ParseError: a clause or a statement is not valid. The description begins with the
                condition, such as `[EDDYLINE_EMIT.NO_QUERY]`, if it is a clause.
        """
        try:
            statements = read_statements(sql)
        except ClauseError as error:
            raise parse_error(error, sql) from error
        if not statements:
            return super().parse(with_plain_comments(sql), **opts)
        return [self._parsed(statement, opts) for statement in statements]

    def generate(self, expression: exp.Expr, copy: bool = True, **opts: Any) -> str:
        """Returns the text of a tree.

        A statement with a clause that still says what was typed is returned as it was typed,
        unless options say how to print it. Else a COGROUP is printed as its plain SQL.

        Args:
            expression: the tree.
            copy: whether the tree is to be kept as it is.
            opts: options of sqlglot's generators, such as `pretty`.

        Raises:
            UnsupportedError: the tree has a COGROUP without plain SQL, and was changed.
        """
        if not has_marks(expression):
            return super().generate(expression, copy=copy, **opts)
        typed = expression.meta.get(_TYPED)
        if typed and not opts and self._printed(expression) == typed["printed"]:
            return str(typed["text"])
        return Printer(self.generator(**opts)).print(expression.copy() if copy else expression)

    def _printed(self, tree: exp.Expr) -> str:
        """Returns a text that tells whether a tree was changed."""
        return Printer(self.generator()).print(tree.copy(), refuses=False)

    def _parsed(self, statement: Statement, opts: dict[str, Any]) -> exp.Expr | None:
        """Returns the tree of a statement, which remembers what was typed."""
        if statement.is_script:
            return command(statement.typed)
        try:
            tree = self._tree(statement, opts)
        except NotInTreeError:
            _logger.warning("%r has no tree, and is read as a Command.", statement.typed)
            return command(statement.typed)
        if tree is not None and has_marks(tree):
            tree.meta[_TYPED] = {"text": statement.typed, "printed": self._printed(tree)}
        return tree

    def _tree(self, statement: Statement, opts: dict[str, Any]) -> exp.Expr | None:
        """Returns the tree of a statement. Raises `NotInTreeError`."""
        tokens = statement.tokens
        if not tokens:
            return None
        if tokens[0].token_type in self.tokenizer_class.COMMANDS:
            if statement.has_clause:
                raise NotInTreeError
            return super().parse(statement.typed, **opts)[0]
        try:
            trees = self.parser(**opts).parse(tokens, statement.sql)
        except ParseError:
            if tokens[0].token_type != TokenType.DESCRIBE:
                raise
            raise NotInTreeError from None  # DESCRIBE QUERY
        if not trees:  # nothing comes before a word such as ELSE
            raise NotInTreeError
        tree = trees[0]
        if tree is None or not statement.has_clause:
            return tree
        # sqlglot reads what follows `|>` as a change of the same query
        if isinstance(tree, exp.Command) or statement.has(TokenType.PIPE_GT):
            raise NotInTreeError
        return with_clauses(tree, statement)
