"""Statements of eddyline as trees: what was typed, with holes for the names and queries in it."""

from __future__ import annotations

from sqlglot import exp

from eddyline.dialect.marks import STATEMENT, argument, is_call, mark, refuse_plain
from eddyline.dialect.parts import NotInTreeError, only_relation
from eddyline.dialect.texts import Text

_CREATE = "__eddyline_create_global_table"
_START = "__eddyline_start_streaming_query"
_CHECK = "__eddyline_check_assumption"
_EXPLAIN = {
    "__eddyline_explain_assumptions": "EXPLAIN ASSUMPTIONS",
    "__eddyline_explain_clauses": "EXPLAIN CLAUSES",
    "__eddyline_explain_rules": "EXPLAIN EDDYLINE",
}
# for each call the arguments whose typed values are in the tree, and where
_HOLES = {
    _CREATE: {"name": "this", "query": "expression"},
    _START: {"target": "this", "query": "expression"},
    _CHECK: {"relation": "this"},
    **{call: {"query": "this"} for call in _EXPLAIN},
}


def statement_call(tree: exp.Expr) -> exp.Anonymous | None:
    """Returns the call that a statement was lowered to, or None."""
    table = only_relation(tree)
    if not isinstance(table, exp.Table) or not is_call(table.this):
        return None
    found: exp.Anonymous = table.this
    return found


def from_call(call: exp.Anonymous, text: Text, start: int, stop: int) -> exp.Expr:
    """Returns the tree of a statement that was typed at [start, stop) and lowered to a call.

    Raises:
        NotInTreeError: the statement is about something for which sqlglot has no tree.
    """
    name, typed = call.name.lower(), text.typed[start:stop].strip()
    if name not in _HOLES or (name in _EXPLAIN and argument(call, "name") is not None):
        return command(typed)
    query = _of_table(argument(call, "query"))
    if name == _CREATE:
        table = _as_table(_of_table(argument(call, "name")))
        node: exp.Expr = exp.Create(this=table, kind="TABLE", expression=query)
        clause = "CREATE GLOBAL TABLE"
    elif name == _START:
        target = _as_table(_of_table(argument(call, "target")))
        node = exp.Insert(this=target, expression=query)
        clause = f"{typed.split()[0].upper()} STREAMING QUERY"
    else:
        node = exp.Describe(this=_described(call))
        clause = _EXPLAIN.get(name, "CHECK ASSUMPTION")
    pieces = _pieces(text, start, stop, _HOLES[name])
    mark(node, exp.Anonymous(this=STATEMENT, expressions=pieces))
    refuse_plain(node, clause)
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
        _words(text.typed[start:first]),
        exp.Anonymous(this="table"),
        _words(text.typed[last:stop]),
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
    mark(node, exp.Anonymous(this=STATEMENT, expressions=[_words(typed)]))
    return node


def _pieces(text: Text, start: int, stop: int, holes: dict[str, str]) -> list[exp.Expr]:
    """Returns the typed text and the holes in it, each with the argument of the node."""
    pieces: list[exp.Expr] = []
    at = start
    edits = text.edits_between(start, stop)
    for name, part in holes.items():
        ends = [edit for edit in edits if edit.argument == name]
        if not ends:  # a call that was typed as such
            raise NotInTreeError
        opening, closing = ends[0], ends[-1]
        hole = text.typed[opening.stop : closing.start]
        first = opening.stop + len(hole) - len(hole.lstrip())
        pieces += [_words(text.typed[at:first]), exp.Anonymous(this=part)]
        at = first + len(hole.strip())
    return [*pieces, _words(text.typed[at:stop])]


def _words(text: str) -> exp.Expr:
    """Returns a text as a node that tools leave alone, unlike a literal."""
    return exp.Var(this=text)


def _described(call: exp.Anonymous) -> exp.Expr:
    """Returns the query of an EXPLAIN, or the relation of CHECK ASSUMPTION."""
    found = _of_table(call.expressions[0])
    if found is not None and call.name.lower() == _CHECK:
        found = only_relation(found)
    if found is None:
        raise NotInTreeError
    return found


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
