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

from eddyline.dialect.cogroup import default_name, restore, typed_branch
from eddyline.dialect.marks import (
    ASSUME,
    COGROUP,
    EMIT,
    STATEMENT,
    STREAM,
    WATERMARK,
    allow_plain,
    argument,
    marks,
)
from eddyline.dialect.parts import CoGroup
from eddyline.lowering import emit
from eddyline.lowering.placeholders import arguments
from eddyline.lowering.roles import KEYWORDS
from eddyline.lowering.tokens import read_tokens
from eddyline.lowering.words import AFTER_RELATION

# the parts of a SELECT that a COGROUP has words for
_OF_COGROUP = ("expressions", "from_", "group", "having", "joins", "laterals", "qualify", "where")
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

    def print(self, tree: exp.Expr) -> str:
        """Returns the text of a tree."""
        for node in tree.walk():
            allow_plain(node)
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
            text = self.stand_in(node)
            node.replace(text)
            node = text
        for inner in [each for each in node.walk(prune=_is_marked) if _is_marked(each)]:
            self.without_marks(inner)
        return node

    def stand_in(self, node: exp.Expr) -> exp.Expr:
        """Returns a node that is printed as a text, that of a node with its clauses."""
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
        if first.name == COGROUP:
            text = self.cogroup(node, int(first.expressions[0].name))
        elif first.name == STATEMENT:
            text = self.statement(node, first)
        else:
            text = self.sql(node)
        for call in calls:
            if call.name == EMIT:
                text = self.emit(text, " ".join(["EMIT", *self.said(call)]))
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

    def said(self, call: exp.Anonymous, skip: Sequence[str] = ()) -> list[str]:
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
        words = ["ASSUME", *self.said(call, skip=_ENFORCEMENT)]
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

    def cogroup(self, select: exp.Expr, required: int) -> str:
        """Returns COGROUP … with what follows it, or the plain SQL that a tool has made of it."""
        assert isinstance(select, exp.Select)
        parts = restore(select, required)
        if parts is None:
            return self.sql(select)
        branches = [self.branch(parts, index) for index in range(len(parts.branches))]
        aggregates = [self.sql(item) for item in parts.aggregates]
        lines = [self.listed("COGROUP", branches), self.listed("AGGREGATE", aggregates)]
        if conditions := self.conditions(parts):
            lines.append(f"HAVING {' AND '.join(conditions)}")
        if qualify := select.args.get("qualify"):
            lines.append(f"QUALIFY {self.sql(qualify.this)}")
        for name in _OF_COGROUP:
            select.set(name, None)
        self.without_marks(select)
        generator = self.generator
        text = generator.query_modifiers(select, generator.sep().join(lines))
        return generator.prepend_ctes(select, generator.maybe_comment(text, select))

    def conditions(self, parts: CoGroup) -> list[str]:
        """Returns what stands after HAVING."""
        conditions = []
        if parts.required == len(parts.branches):
            conditions.append("EVERY BRANCH")
        elif parts.required:
            conditions.append(f"AT LEAST {parts.required} BRANCHES")
        if parts.having is not None:
            conditions.append(self.sql(parts.having))
        return conditions

    def listed(self, word: str, items: list[str]) -> str:
        """Returns a word and items, which stand below each other if the text is pretty."""
        if not self.generator.pretty:
            return f"{word} {', '.join(items)}"
        return f"{word} " + ",\n".join(items).replace("\n", "\n" + " " * (len(word) + 1))

    def branch(self, parts: CoGroup, index: int) -> str:
        """Returns relation [WHERE condition] BY key, …."""
        branch = parts.branches[index]
        source, where, computed = typed_branch(branch, named=branch not in parts.unnamed())
        words = [self.sql(source)]
        if where is not None:
            words.append(f"WHERE {self.sql(where.this)}")
        return " ".join([*words, "BY", self.keys(parts, index, computed)])

    def keys(self, parts: CoGroup, index: int, computed: dict[str, exp.Expr]) -> str:
        """Returns the keys of a branch; those of the first have their names."""
        texts = []
        for column, name in zip(parts.branches[index].keys, parts.names, strict=True):
            key = computed.get(column.name) or exp.Column(this=column.this.copy())
            named = index == 0 and default_name(key).name.lower() != name.name.lower()
            texts.append(self.sql(key) + (f" AS {self.sql(name)}" if named else ""))
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _is_marked(node: exp.Expr) -> bool:
    return bool(marks(node))
