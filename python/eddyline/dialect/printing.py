"""Prints a tree with marks: Spark's generator prints what is Spark's, and the clauses go between.

A node with a mark is printed without it, then the clause is added, and a word that stands for the
result takes the node's place in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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

# a word between two of Unicode's noncharacters, which no text has
_WORD = re.compile("\ufdd0(\\d+)\ufdd1")
_STRATEGIES = {"change": "ON CHANGE", "update": "ON UPDATE", "window": "ON WINDOW CLOSE"}
_COLUMNS = {"compared": "OF", "ignored": "EXCEPT", "keys": "KEY"}
_OPTIONS = {
    "ordering": "ORDER BY",
    "expiry": "EXPIRE AFTER",
    "tolerance": "TOLERANCE",
    "heartbeat": "HEARTBEAT",
}
# the parts of a SELECT that a COGROUP has words for
_OF_COGROUP = ("expressions", "from_", "group", "having", "joins", "laterals", "qualify", "where")
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
        words = ["EMIT"]
        if every := argument(call, "every"):
            words.append(f"EVERY {self.amount(every)}")
        strategy = argument(call, "strategy")
        if strategy is not None and strategy.name in _STRATEGIES:
            words.append(_STRATEGIES[strategy.name])
        for name, word in _COLUMNS.items():
            if columns := argument(call, name):
                words.append(f"{word} ({self.list_of(columns.expressions)})")
        for name, word in _OPTIONS.items():
            if (value := argument(call, name)) is not None:
                words.append(f"{word} {self.option(value)}")
        return " ".join(words)

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
        items = [] if keys is None else list(keys.expressions)
        relation = node.alias_or_name
        for column in [column for item in items for column in item.find_all(exp.Column)]:
            if relation and column.table == relation and not column.args.get("db"):
                column.set("table", None)
        words = [f"ASSUME PARTITIONED BY ({self.list_of(items)})"]
        layout, partitions = argument(call, "layout"), argument(call, "partitions")
        hashed = argument(call, "hash") is not None
        if layout is not None:
            words.append(f"LAYOUT {self.generate(exp.to_identifier(layout.name))}")
        if partitions is not None:
            words.append(f"INTO {partitions.name} PARTITIONS")
        if hashed:
            words.append("USING HASH SPARK")
        enforced, violation = argument(call, "enforced"), argument(call, "violation")
        level = "" if enforced is None else enforced.name
        reaction = "" if violation is None else violation.name
        usual = "fail" if layout is not None and not hashed else "repartition"
        if level == "no":
            words.append("NOT ENFORCED")
        elif level == "sample" or reaction != usual:
            words.append("ENFORCED SAMPLE" if level == "sample" else "ENFORCED")
            if reaction != usual:
                words.append(f"ON VIOLATION {reaction.upper()}")
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
        for name in (
            "qualify",
            "expressions",
            "from_",
            "joins",
            "where",
            "group",
            "having",
            "laterals",
        ):
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
