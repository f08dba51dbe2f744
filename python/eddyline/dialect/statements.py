"""Statements of eddyline as trees: what was typed, with holes for the names and queries in it."""

from __future__ import annotations

from sqlglot import exp

from eddyline.dialect.marks import (
    STATEMENT,
    NotInTreeError,
    argument,
    is_call,
    mark,
    refuse_plain,
)
from eddyline.dialect.parts import only_relation
from eddyline.dialect.tokens import Statement

_CREATE = "__eddyline_create_global_table"
_START = "__eddyline_start_streaming_query"
_CHECK = "__eddyline_check_assumption"
_EXPLAIN = ("__eddyline_explain_clauses", "__eddyline_explain_rules")
# for each call the arguments whose typed values are in the tree, and where
_HOLES = {
    _CREATE: {"name": "this", "query": "expression"},
    _START: {"target": "this", "query": "expression"},
    _CHECK: {"relation": "this"},
    **{call: {"query": "this"} for call in _EXPLAIN},
}


def with_statement(tree: exp.Expr, statement: Statement) -> exp.Expr:
    """Returns the tree of a statement of eddyline; any other tree as it is.

    Raises:
        NotInTreeError: the statement is about something for which sqlglot has no tree.
    """
    table = only_relation(tree)
    if isinstance(table, exp.Table) and is_call(table.this):
        return _from_call(table.this, statement)
    if isinstance(tree, exp.Create):
        _mark_create(tree, statement)
    return tree


def command(typed: str) -> exp.Command:
    """Returns a statement of which sqlglot sees the text only."""
    first, _, rest = typed.partition(" ")
    node = exp.Command(this=first, expression=rest)
    mark(node, STATEMENT, _words(typed))
    return node


def _from_call(call: exp.Anonymous, statement: Statement) -> exp.Expr:
    """Returns the tree of a statement that was lowered to a call."""
    name = call.name.lower()
    if name not in _HOLES or (name in _EXPLAIN and argument(call, "name") is not None):
        return command(statement.typed)
    first, second = statement.typed.upper().split()[:2]
    if name == _CREATE:
        clause = "CREATE GLOBAL TABLE"
        table, query = _as_table(_held(argument(call, "name"))), _held(argument(call, "query"))
        node: exp.Expr = exp.Create(this=table, kind="TABLE", expression=query)
    elif name == _START:
        clause = f"{first} STREAMING QUERY"
        table, query = _as_table(_held(argument(call, "target"))), _held(argument(call, "query"))
        node = exp.Insert(this=table, expression=query)
    else:
        clause = f"{first} {second}"
        node = exp.Describe(this=_described(call))
    mark(node, STATEMENT, *_pieces(statement, _HOLES[name]))
    refuse_plain(node, clause)
    return node


def _described(call: exp.Anonymous) -> exp.Expr:
    """Returns the query of an EXPLAIN, or the relation of CHECK ASSUMPTION."""
    query = _held(call.expressions[0])
    found = only_relation(query) if call.name.lower() == _CHECK else query
    if found is None:
        raise NotInTreeError
    return found


def _held(table: exp.Expr | None) -> exp.Expr:
    """Returns what TABLE(…) holds, taken out of it."""
    if table is None or not table.expressions:
        raise NotInTreeError
    found: exp.Expr = table.expressions[0]
    return found.pop()


def _as_table(name: exp.Expr) -> exp.Expr:
    """Returns a name that was read as a column as a table."""
    if not isinstance(name, exp.Column):
        return name
    parts = reversed(name.parts)
    return exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=False)))


def _mark_create(tree: exp.Create, statement: Statement) -> None:
    """Marks CREATE GLOBAL TABLE … USING …, which is lowered to an option of CREATE TABLE."""
    properties = tree.args.get("properties") or exp.Properties(expressions=[])
    options, table = properties.expressions, tree.find(exp.Table)
    others = [item for item in options if not any(is_call(each, _CREATE) for each in item.walk())]
    places = [] if table is None else [part.meta for part in table.parts]
    if len(others) == len(options) or not all("start" in place for place in places):
        return
    properties.set("expressions", others)
    first, last = places[0]["start"], places[-1]["end"] + 1
    before, after = statement.sql[statement.start : first], statement.sql[last : statement.stop]
    mark(tree, STATEMENT, _words(before), exp.Anonymous(this="table"), _words(after))
    refuse_plain(tree, "CREATE GLOBAL TABLE")


def _pieces(statement: Statement, holes: dict[str, str]) -> list[exp.Expr]:
    """Returns the typed text and the holes in it, each with the argument of the node."""
    pieces: list[exp.Expr] = []
    at, sql = statement.start, statement.sql
    for name, part in holes.items():
        ends = [edit for edit in statement.edits if edit.argument == name]
        if not ends:  # a call that was typed as such
            raise NotInTreeError
        hole = sql[ends[0].stop : ends[-1].start]
        first = ends[0].stop + len(hole) - len(hole.lstrip())
        pieces += [_words(sql[at:first]), exp.Anonymous(this=part)]
        at = first + len(hole.strip())
    return [*pieces, _words(sql[at : statement.stop])]


def _words(text: str) -> exp.Expr:
    """Returns a text as a node that tools leave alone, unlike a literal."""
    return exp.Var(this=text)
