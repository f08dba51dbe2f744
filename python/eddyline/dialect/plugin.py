"""The dialect `eddyline` of sqlglot."""

from __future__ import annotations

import logging
from typing import Any

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ParseError
from sqlglot.tokens import Token, TokenType

from eddyline.dialect.marks import WINDOW, is_call
from eddyline.dialect.parts import NotInTreeError
from eddyline.dialect.printing import Printer, has_marks
from eddyline.dialect.statements import command, from_call, from_create, statement_call
from eddyline.dialect.texts import Text, is_script, prepare, statements
from eddyline.dialect.trees import see_through
from eddyline.lowering.tokenizer import with_comments_of_one_line

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
        text = prepare(sql)
        if text is None:
            return super().parse(with_comments_of_one_line(sql), **opts)
        if is_script(sql):
            return [command(sql.strip())]
        try:
            parsed = statements(self.tokenize(text.parsed), len(text.parsed))
            return [self._statement(text, *each, opts) for each in parsed]
        except ParseError as error:
            raise text.error(error) from error

    def generate(self, expression: exp.Expr, copy: bool = True, **opts: Any) -> str:
        """Returns the text of a tree.

        A statement with a clause that still says what was typed is returned as it was typed,
        unless options say how to print it.

        Args:
            expression: the tree.
            copy: whether the tree is to be kept as it is.
            opts: options of sqlglot's generators, such as `pretty`.
        """
        if not has_marks(expression):
            return super().generate(expression, copy=copy, **opts)
        typed = expression.meta.get(_TYPED)
        printed = self._print(expression.copy() if copy else expression, opts)
        if typed and not opts and printed == typed["printed"]:
            return str(typed["text"])
        return printed

    def _print(self, tree: exp.Expr, opts: dict[str, Any]) -> str:
        def generate(node: exp.Expr) -> str:
            return super(Eddyline, self).generate(node, copy=False, **opts)

        pretty = bool(self.generator(**opts).pretty)
        return Printer(generate, pretty=pretty).print(tree)

    def _statement(
        self, text: Text, start: int, stop: int, tokens: list[Token], opts: dict[str, Any]
    ) -> exp.Expr | None:
        """Returns the tree of the statement at [start, stop) of the parsed text."""
        first, last = text.place(start), text.place(stop)
        typed = text.typed[first:last].strip()
        edits = text.edits_between(first, last)
        if edits and tokens[0].token_type in self.tokenizer_class.COMMANDS:
            return _without_tree(typed)  # the warning of sqlglot's parser would show what it parses
        tree = self._parsed(text, tokens, typed, opts)
        if tree is None:
            return None
        has_clause = any(edit.text != WINDOW for edit in edits)
        if (edits and isinstance(tree, exp.Command)) or (has_clause and _has_pipe(tokens)):
            return command(typed)
        _move(tree, text)
        if edits:
            try:
                tree = _with_clauses(tree, text, first, last)
            except NotInTreeError:
                return _without_tree(typed)
        if has_marks(tree):
            tree.meta[_TYPED] = {"text": typed, "printed": self._print(tree.copy(), {})}
        return tree

    def _parsed(
        self, text: Text, tokens: list[Token], typed: str, opts: dict[str, Any]
    ) -> exp.Expr | None:
        """Returns sqlglot's tree; DESCRIBE QUERY, which it does not know, is a Command."""
        try:
            trees = self.parser(**opts).parse(tokens, text.parsed)
            return trees[0] if trees else None
        except ParseError:
            if tokens[0].token_type != TokenType.DESCRIBE:
                raise
            return command(typed)


def _with_clauses(tree: exp.Expr, text: Text, start: int, stop: int) -> exp.Expr:
    """Returns the tree of a statement with a clause. Raises `NotInTreeError`."""
    tree = see_through(tree)
    call = statement_call(tree)
    if call is not None:
        tree = from_call(call, text, start, stop)
    elif isinstance(tree, exp.Create):
        tree = from_create(tree, text, start, stop) or tree
    if any(is_call(node) and not _is_mark(node) for node in tree.find_all(exp.Anonymous)):
        raise NotInTreeError
    return tree


def _without_tree(typed: str) -> exp.Command:
    _logger.warning("%r has no tree, and is read as a Command.", typed)
    return command(typed)


def _has_pipe(tokens: list[Token]) -> bool:
    """Returns whether a statement has `|>`, which sqlglot reads as a change of the same query."""
    return any(token.token_type == TokenType.PIPE_GT for token in tokens)


def _is_mark(call: exp.Expr) -> bool:
    return call.arg_key == "settings"


def _move(tree: exp.Expr, text: Text) -> None:
    """Gives each node with a place its place in the typed text."""
    for node in tree.walk():
        if "start" not in node.meta:
            continue
        start, end = text.place(node.meta["start"]), text.place(node.meta["end"])
        line, col = text.line_and_column(end)
        node.meta.update(start=start, end=end, line=line, col=col)
