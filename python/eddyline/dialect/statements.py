"""Statements of eddyline as trees: what was typed, with holes for the names and queries in it."""

from __future__ import annotations

import re

from sqlglot import exp

from eddyline.dialect.marks import STATEMENT, argument, is_call, mark, refuse_plain
from eddyline.dialect.parts import only_relation
from eddyline.dialect.texts import Text

# the edits of the lowering after which something stands that goes into the tree
_OPENS = re.compile(
    r"\b(?:(name|target|query) => |__eddyline_(explain|check)_assumptions?\()"
    r"TABLE\((?:SELECT \* FROM)?\s*\Z"
)
# the first edit after a hole, where it is not the last of the statement
_CLOSES = {"name": ")", "target": ")", "check": "), keys =>"}
_CREATE = "__eddyline_create_global_table"
_START = "__eddyline_start_streaming_query"
_CHECK = "__eddyline_check_assumption"
_EXPLAIN = "__eddyline_explain_assumptions"


def statement_call(tree: exp.Expr) -> exp.Anonymous | None:
    """Returns the call that a statement was lowered to, or None."""
    table = only_relation(tree)
    if not isinstance(table, exp.Table) or not is_call(table.this):
        return None
    found: exp.Anonymous = table.this
    return found


def from_call(call: exp.Anonymous, text: Text, start: int, stop: int) -> exp.Expr:
    """Returns the tree of a statement that was typed at [start, stop) and lowered to a call."""
    name, query = call.name.lower(), _of_table(argument(call, "query"))
    if name == _CREATE:
        node: exp.Expr = exp.Create(
            this=_as_table(_of_table(argument(call, "name"))), kind="TABLE", expression=query
        )
        holes = {"name": "this", "query": "expression"}
    elif name == _START:
        target = _as_table(_of_table(argument(call, "target")))
        node, holes = (
            exp.Insert(this=target, expression=query),
            {
                "target": "this",
                "query": "expression",
            },
        )
    elif name in (_CHECK, _EXPLAIN):
        node, holes = exp.Describe(this=_described(call)), {"check": "this", "explain": "this"}
    else:
        return command(text.typed[start:stop])
    pieces = _pieces(text, start, stop, holes)
    mark(node, exp.Anonymous(this=STATEMENT, expressions=pieces))
    refuse_plain(node, " ".join(text.typed[start:stop].split()[:3]))
    return node


def from_create(tree: exp.Create, text: Text, start: int, stop: int) -> exp.Create | None:
    """Returns the tree of CREATE GLOBAL TABLE … USING …, or None for another CREATE."""
    properties, table = tree.args.get("properties"), tree.find(exp.Table)
    options = [] if properties is None else properties.expressions
    others = [item for item in options if not any(map(_is_create, item.find_all(exp.Anonymous)))]
    if table is None or properties is None or len(others) == len(options):
        return None
    properties.set("expressions", others)
    places = [part.meta for part in table.parts]
    if not all("start" in place for place in places):
        return None
    first, last = places[0]["start"], places[-1]["end"] + 1
    pieces = [
        exp.Literal.string(text.typed[start:first]),
        exp.Var(this="table"),
        exp.Literal.string(text.typed[last:stop]),
    ]
    mark(tree, exp.Anonymous(this=STATEMENT, expressions=pieces))
    refuse_plain(tree, "CREATE GLOBAL TABLE")
    return tree


def _is_create(node: exp.Expr) -> bool:
    return is_call(node, _CREATE)


def command(typed: str) -> exp.Command:
    """Returns a statement of which sqlglot sees the text only."""
    first, _, rest = typed.partition(" ")
    node = exp.Command(this=first, expression=rest)
    mark(node, exp.Anonymous(this=STATEMENT, expressions=[exp.Literal.string(typed)]))
    return node


def _pieces(text: Text, start: int, stop: int, holes: dict[str, str]) -> list[exp.Expr]:
    """Returns the typed text and the holes in it, each with the argument of the node."""
    pieces: list[exp.Expr] = []
    at = start
    edits = text.edits_between(start, stop)
    for index, edit in enumerate(edits):
        found = _OPENS.search(edit.text)
        name = "" if found is None else found[1] or found[2]
        if name not in holes:
            continue
        later = edits[index + 1 :]
        closing = later[-1]
        if name in _CLOSES:
            closing = next(edit for edit in later if edit.text.startswith(_CLOSES[name]))
        hole = text.typed[edit.stop : closing.start]
        first = edit.stop + len(hole) - len(hole.lstrip())
        pieces += [exp.Literal.string(text.typed[at:first]), exp.Var(this=holes.pop(name))]
        at = first + len(hole.strip())
    return [*pieces, exp.Literal.string(text.typed[at:stop])]


def _described(call: exp.Anonymous) -> exp.Expr | None:
    query = _of_table(call.expressions[0])
    return only_relation(query) if query is not None and call.name.lower() == _CHECK else query


def _of_table(value: exp.Expr | None) -> exp.Expr | None:
    """Returns what TABLE(…) holds, taken out of it."""
    if value is None or not value.expressions:
        return None
    found: exp.Expr = value.expressions[0]
    return found.pop()


def _as_table(name: exp.Expr | None) -> exp.Expr | None:
    """Returns a name that was read as a column as a table."""
    if not isinstance(name, exp.Column):
        return name
    parts = list(reversed(name.parts))
    return exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=False)))
