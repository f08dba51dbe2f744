"""Prints a tree with marks: sqlglot prints what is Spark's, and the clauses go between.

A node with a mark is printed without it, then the clause is added, and the text takes the node's
place in the tree.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sqlglot import exp
from sqlglot.errors import ErrorLevel, UnsupportedError, concat_messages
from sqlglot.generator import Generator

from eddyline.dialect.marks import (
    ASSUME,
    COGROUP,
    EMIT,
    STATEMENT,
    STREAM,
    WATERMARK,
    allow_other_dialects,
    argument,
    marks,
    refusal,
    unmark,
)
from eddyline.lowering import emit
from eddyline.lowering.placeholders import arguments
from eddyline.lowering.roles import KEYWORDS
from eddyline.lowering.tokens import read_tokens
from eddyline.lowering.words import AFTER_RELATION

_ENFORCEMENT = ("enforced", "violation")
_OF_RELATION = (ASSUME, STREAM, WATERMARK)
_AFTER_RELATION = ("joins", "laterals", "pivots")
_logger = logging.getLogger("sqlglot")


def has_marks(tree: exp.Expr) -> bool:
    """Returns whether a clause stands anywhere in the tree."""
    return any(marks(node) for node in tree.walk())


class Printer:
    """Prints one tree, which it consumes."""

    def __init__(self, generator: Generator) -> None:
        self.generator = generator

    def print(self, tree: exp.Expr, *, refuses: bool = True) -> str:
        """Returns the text of a tree.

        Args:
            tree: the tree.
            refuses: whether a COGROUP without plain SQL is an `UnsupportedError`.
        """
        for node in tree.walk():
            found = refusal(node)
            if found is not None and not (refuses and found.always):
                allow_other_dialects(node)
            unmark(node, COGROUP)
        node, of_parts = self.without_marks(tree), self.generator.unsupported_messages
        text = self.generator.generate(node, copy=False)  # which forgets the messages of the parts
        level = self.generator.unsupported_level
        if of_parts and level == ErrorLevel.RAISE:
            raise UnsupportedError(concat_messages(of_parts, self.generator.max_unsupported))
        if level == ErrorLevel.WARN:
            for message in of_parts:
                _logger.warning(message)
        return text

    def sql(self, node: exp.Expr) -> str:
        """Returns the text of a part of the tree."""
        return self.generator.sql(self.without_marks(node))

    def without_marks(self, node: exp.Expr) -> exp.Expr:
        """Returns a node that sqlglot can print, where texts stand for what had marks."""
        if marks(node):
            text = self.replacement_node(node)
            node.replace(text)
            node = text
        for inner in [each for each in node.walk(prune=_is_marked) if _is_marked(each)]:
            self.without_marks(inner)
        return node

    def replacement_node(self, node: exp.Expr) -> exp.Expr:
        """Returns a node that sqlglot prints as the text of a node with its clauses."""
        calls = marks(node)
        node.set("settings", None)
        after = {}
        if any(call.name in _OF_RELATION for call in calls):
            after = {name: node.args.get(name) for name in _AFTER_RELATION}
        for name in after:
            node.set(name, None)
        text = exp.Var(this=self.marked_sql(node, calls))
        if after or isinstance(node.parent, (exp.From, exp.Join)):
            return exp.Table(this=text, **after)
        return text

    def marked_sql(self, node: exp.Expr, calls: list[exp.Anonymous]) -> str:
        """Returns the text of a node with its clauses, the innermost first."""
        name, alias = node.alias_or_name, node.args.get("alias")
        if any(call.name == WATERMARK for call in calls):  # which stands before the alias
            node.set("alias", None)
        first = calls[0]
        text = self.statement(node, first) if first.name == STATEMENT else self.sql(node)
        for call in calls:
            if call.name == EMIT:
                text = self.emit(text, " ".join(["EMIT", *self.clause_words(call)]))
            elif call.name == ASSUME:
                text = f"{text} {self.assume(call, name)}"
            elif call.name == STREAM:
                text = f"STREAM {text}"
            elif call.name == WATERMARK:
                text = f"{text} {call.expressions[0].expression.name}"
                text += f" AS {self.sql(alias)}" if alias else ""
        return text

    def emit(self, query: str, clause: str) -> str:
        """Returns a query with EMIT.

        Where Spark would read the clause as the alias and the condition of the last join, the query
        stands in parentheses. It may come from `FROM a, b EMIT ON CHANGE`, since sqlglot prints
        such a comma as CROSS JOIN.
        """
        tokens = read_tokens(f"{query} {clause}")
        if not emit.starts(tokens, len(read_tokens(query))):
            query = self.generator.sql(exp.Subquery(this=exp.Var(this=query)))
        return f"{query}{self.generator.sep()}{clause}"

    def clause_words(self, call: exp.Anonymous, skip: Sequence[str] = ()) -> list[str]:
        """Returns the words of a clause for each argument of its call."""
        found = []
        for each in arguments(call.name):
            value = None if each.name in skip else argument(call, each.name)
            if value is None or (each.values and value.name not in each.values):
                continue
            if each.type == "columns":
                text = f"({self.generator.expressions(value, flat=True)})"
            elif each.type == "name":
                is_keyword = value.name.upper() in KEYWORDS | AFTER_RELATION
                text = self.sql(exp.to_identifier(value.name, quoted=is_keyword or None))
            else:
                text = value.name if isinstance(value, exp.Var) else self.option(value)
            found.append(each.sql(text))
        return found

    def option(self, value: exp.Expr) -> str:
        """Returns the value of an option of EMIT; an array has columns and their amounts."""
        if not isinstance(value, exp.Array):
            return self.amount(value)
        texts = [self.amount(item) for item in value.expressions]
        pairs = zip(texts[::2], texts[1::2], strict=True)
        return f"({', '.join(f'{column} {amount}' for column, amount in pairs)})"

    def amount(self, value: exp.Expr) -> str:
        """Returns an expression; an interval of several units is a sum for sqlglot, not for us."""
        units = list(value.flatten()) if isinstance(value, exp.Add) else [value]
        if not all(isinstance(unit, exp.Interval) for unit in units):
            return self.sql(value)
        texts = [self.sql(unit) for unit in units]
        return " ".join([texts[0], *(text.removeprefix("INTERVAL ") for text in texts[1:])])

    def assume(self, call: exp.Anonymous, relation: str) -> str:
        """Returns ASSUME PARTITIONED BY … of a call."""
        keys = argument(call, "keys")
        for column in [] if keys is None else keys.find_all(exp.Column):
            if relation and column.table == relation and not column.args.get("db"):
                column.set("table", None)
        words = ["ASSUME", *self.clause_words(call, skip=_ENFORCEMENT)]
        is_opaque = argument(call, "layout") is not None and argument(call, "hash") is None
        usual = "fail" if is_opaque else "repartition"
        given = [argument(call, name) for name in _ENFORCEMENT]
        level, reaction = ("" if value is None else value.name for value in given)
        if level not in ("", "full") or reaction not in ("", usual):
            known = {each.name: each for each in arguments(ASSUME)}
            words.append(known["enforced"].values[level])
            if reaction != usual and level != "no":
                words.append(known["violation"].sql(reaction))
        return " ".join(words)

    def statement(self, node: exp.Expr, call: exp.Anonymous) -> str:
        """Returns a statement: what was typed, and what now stands in its holes."""
        pieces = []
        for piece in call.expressions:
            if isinstance(piece, exp.Var):
                pieces.append(piece.name)
            else:
                hole = node.find(exp.Table) if piece.name == "table" else node.args[piece.name]
                pieces.append("" if hole is None else self.sql(hole))
        return "".join(pieces)


def _is_marked(node: exp.Expr) -> bool:
    return bool(marks(node))
