"""Prints a tree with marks: Spark's generator prints what is Spark's, and the clauses go between.

A node with a mark is printed without it, then the clause is added, and a word that stands for the
result takes the node's place in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sqlglot import exp

from eddyline.dialect.branches import KEY, default_name
from eddyline.dialect.cogroup import restore
from eddyline.dialect.marks import (
    ASSUME,
    COGROUP,
    EMIT,
    STATEMENT,
    allow_plain,
    argument,
    marks,
)
from eddyline.dialect.parts import CoGroup, name_of
from eddyline.lowering.placeholders import arguments

# a word between two of Unicode's noncharacters, which no text has
_WORD = re.compile("\ufdd0(\\d+)\ufdd1")
# the parts of a SELECT that a COGROUP has words for
_OF_COGROUP = ("expressions", "from_", "group", "having", "joins", "laterals", "qualify", "where")
_ENFORCEMENT = ("enforced", "violation")
_NAME = "eddyline_name"
_AFTER_RELATION = ("joins", "laterals", "pivots")

Generate = Callable[[exp.Expr], str]


def has_marks(tree: exp.Expr) -> bool:
    """Returns whether a clause stands anywhere in the tree."""
    return any(marks(node) for node in tree.walk())


class Printer:
    """Prints one tree, which it consumes."""

    def __init__(self, generate: Generate, *, pretty: bool) -> None:
        self.generate = generate
        self.pretty = pretty
        self.texts: list[str] = []

    def print(self, tree: exp.Expr) -> str:
        """Returns the text of a tree."""
        root = exp.Tuple(expressions=[tree])
        for node in reversed(list(root.dfs())):
            allow_plain(node)
            if calls := marks(node):
                node.set("settings", None)
                self.print_marked(node, calls)
        return self.complete(self.generate(root.expressions[0]))

    def print_marked(self, node: exp.Expr, calls: list[exp.Anonymous]) -> None:
        """Puts a word for the text of a node with clauses into its place."""
        rest = {}
        if any(call.name not in (COGROUP, EMIT, STATEMENT) for call in calls):
            rest = {name: node.args[name] for name in _AFTER_RELATION if node.args.get(name)}
        for name in rest:
            node.set(name, None)
        text = ""
        for call in calls:
            if call.name == COGROUP:
                text = self.cogroup(node, call)
            elif call.name == STATEMENT:
                text = self.statement(node, call)
            elif call.name == EMIT:
                text = self.joined(text or self.generate(node), self.emit(call))
            elif call.name == ASSUME:
                text = f"{text or self.generate(node)} {self.assume(call, node)}"
            else:
                text = self.stream(node, call)
        word = exp.Var(this=self.word_for(text))
        is_relation = rest or isinstance(node.parent, (exp.From, exp.Join))
        stand_in = exp.Table(this=word, **rest) if is_relation else word
        stand_in.meta[_NAME] = name_of(node).name
        node.replace(stand_in)

    def word_for(self, text: str) -> str:
        """Returns a word that stands for a text until the whole is printed."""
        self.texts.append(text)
        return f"\ufdd0{len(self.texts) - 1}\ufdd1"

    def complete(self, text: str) -> str:
        """Returns the text with the texts in the place of their words."""

        def put(found: re.Match[str]) -> str:
            inner = self.complete(self.texts[int(found[1])])
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            indent = " " * (len(line) - len(line.lstrip(" ")))
            return inner.replace("\n", f"\n{indent}") if self.pretty else inner

        return _WORD.sub(put, text)

    def joined(self, *parts: str) -> str:
        """Returns parts of a query, each on a line of its own if the text is pretty."""
        return ("\n" if self.pretty else " ").join(parts)

    def list_of(self, items: list[exp.Expr]) -> str:
        """Returns expressions with commas between them."""
        return ", ".join(self.generate(item) for item in items)

    def emit(self, call: exp.Anonymous) -> str:
        """Returns EMIT … of a call."""
        return " ".join(["EMIT", *self.said(call)])

    def said(self, call: exp.Anonymous, skip: Sequence[str] = ()) -> list[str]:
        """Returns the words of a clause for each argument of its call."""
        found = []
        for each in arguments(call.name):
            value = None if each.name in skip else argument(call, each.name)
            if value is None or (each.values and value.name not in each.values):
                continue
            if each.type == "columns":
                text = f"({self.list_of(value.expressions)})"
            elif each.type == "name":
                text = self.generate(exp.to_identifier(value.name))
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
            return self.generate(value)
        texts = [self.generate(unit) for unit in units]
        return " ".join([texts[0], *(text.removeprefix("INTERVAL ") for text in texts[1:])])

    def assume(self, call: exp.Anonymous, node: exp.Expr) -> str:
        """Returns ASSUME PARTITIONED BY … of a call."""
        keys = argument(call, "keys")
        relation = node.alias_or_name
        for column in [] if keys is None else list(keys.find_all(exp.Column)):
            if relation and column.table == relation and not column.args.get("db"):
                column.set("table", None)
        known = {each.name: each for each in arguments(ASSUME)}
        words = ["ASSUME", *self.said(call, skip=_ENFORCEMENT)]
        is_opaque = argument(call, "layout") is not None and argument(call, "hash") is None
        usual = "fail" if is_opaque else "repartition"
        given = [argument(call, name) for name in _ENFORCEMENT]
        level, reaction = ("" if value is None else value.name for value in given)
        if level not in ("", "full") or reaction not in ("", usual):
            words.append(known["enforced"].values[level])
            if reaction != usual and level != "no":
                words.append(known["violation"].sql(reaction))
        return " ".join(words)

    def stream(self, node: exp.Expr, call: exp.Anonymous) -> str:
        """Returns STREAM relation WATERMARK … AS alias."""
        alias = node.args.get("alias")
        stream, watermark = argument(call, "stream"), argument(call, "watermark")
        after = [] if watermark is None else [bytes.fromhex(watermark.name).decode()]
        if alias is not None and after:
            node.set("alias", None)
            after.append(f"AS {self.generate(alias)}")
        is_stream = isinstance(stream, exp.Boolean) and stream.this
        words = [*(["STREAM"] if is_stream else []), self.generate(node), *after]
        return " ".join(words)

    def statement(self, node: exp.Expr, call: exp.Anonymous) -> str:
        """Returns a statement: what was typed, and what now stands in its holes."""
        pieces = []
        for piece in call.expressions:
            if isinstance(piece, exp.Var):
                pieces.append(piece.name)
            else:
                hole = node.find(exp.Table) if piece.name == "table" else node.args[piece.name]
                pieces.append("" if hole is None else self.generate(hole))
        return "".join(pieces)

    def cogroup(self, node: exp.Expr, call: exp.Anonymous) -> str:
        """Returns COGROUP … with what follows it, or the plain SQL that a tool has made of it."""
        assert isinstance(node, exp.Select)
        node.set("settings", [call])
        parts = restore(node)
        node.set("settings", None)
        if parts is None:
            return self.generate(node)
        branches = [self.branch(parts, index) for index in range(len(parts.branches))]
        aggregates = [self.generate(item) for item in parts.aggregates]
        lines = [self.listed("COGROUP", branches), self.listed("AGGREGATE", aggregates)]
        conditions = []
        if parts.required == len(parts.branches):
            conditions.append("EVERY BRANCH")
        elif parts.required:
            conditions.append(f"AT LEAST {parts.required} BRANCHES")
        if parts.having is not None:
            conditions.append(self.generate(parts.having))
        if conditions:
            lines.append(f"HAVING {' AND '.join(conditions)}")
        if qualify := node.args.get("qualify"):
            lines.append(f"QUALIFY {self.generate(qualify.this)}")
        for name in _OF_COGROUP:
            node.set(name, None)
        word = self.word_for(self.joined(*lines))
        node.set("expressions", [exp.Var(this=word)])
        return re.sub(rf"SELECT\s+{word}", word, self.generate(node))

    def listed(self, word: str, items: list[str]) -> str:
        """Returns a word and items, which stand below each other if the text is pretty."""
        if not self.pretty:
            return f"{word} {', '.join(items)}"
        return f"{word} " + ",\n".join(items).replace("\n", "\n" + " " * (len(word) + 1))

    def branch(self, parts: CoGroup, index: int) -> str:
        """Returns relation [WHERE condition] BY key, …."""
        branch = parts.branches[index]
        source, where = branch.source, None
        computed: dict[str, exp.Expr] = {}
        if isinstance(source, exp.Subquery) and _selects_from(source.this):
            inner = source.this
            keys = [item for item in inner.expressions if item.alias.startswith(KEY)]
            rest = [item for item in inner.expressions if item not in keys]
            parts_of = {name for name, value in inner.args.items() if value}
            plain = parts_of <= {"expressions", "from_", "settings", "where"}
            relation = inner.args["from_"].this
            name = relation.meta.get(_NAME, name_of(relation).name).lower()
            called = name == source.alias.lower() or f"branch_{index + 1}" == source.alias
            if plain and called and len(rest) == 1 and type(rest[0]) is exp.Star:
                computed = {item.alias: item.this for item in keys}
                source, where = relation, inner.args.get("where")
        words = [self.generate(source)]
        if where is not None:
            words.append(f"WHERE {self.generate(where.this)}")
        return " ".join([*words, "BY", self.keys(parts, index, computed)])

    def keys(self, parts: CoGroup, index: int, computed: dict[str, exp.Expr]) -> str:
        """Returns the keys of a branch; those of the first have their names."""
        texts = []
        for column, name in zip(parts.branches[index].keys, parts.names, strict=True):
            key = computed.get(column.name) or exp.Column(this=column.this.copy())
            named = index == 0 and default_name(key).name.lower() != name.name.lower()
            texts.append(self.generate(key) + (f" AS {self.generate(name)}" if named else ""))
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _selects_from(query: exp.Expr) -> bool:
    return isinstance(query, exp.Select) and query.args.get("from_") is not None
