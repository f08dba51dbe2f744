"""Turns sqlglot's tree of a lowered text into one of queries and relations with marks.

A statement of eddyline is what was typed, with holes for the names and queries in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sqlglot import exp

from eddyline.dialect.cogroup import expand, read_call
from eddyline.dialect.marks import (
    ASSUME,
    BY,
    COGROUP,
    EMIT,
    STATEMENT,
    STREAM,
    WATERMARK,
    NotInTreeError,
    argument,
    is_call,
    mark,
    marks,
    prevent_merge,
    refuse_other_dialects,
)
from eddyline.dialect.parts import only_relation
from eddyline.dialect.tokens import Statement
from eddyline.lowering import assume, globaltable, report, streamingquery

# what sqlglot reads as parts of the call, and belongs to its relation
_AFTER_RELATION = ("alias", "joins", "laterals", "pivots", "sample")

# for each call that is a statement: its node, its words, where `{}` is one as typed, and the
# arguments whose typed values are `this` and `expression` of the node
_STATEMENTS: dict[str, tuple[Callable[..., exp.Expr], str, tuple[str, ...]]] = {
    globaltable.CALL: (partial(exp.Create, kind="TABLE"), "CREATE GLOBAL TABLE", ("name", "query")),
    streamingquery.CALL: (exp.Insert, "{} STREAMING QUERY", ("target", "query")),
    assume.CHECK_CALL: (exp.Describe, "{} {}", ("relation",)),
    report.CALL: (exp.Describe, "{} {}", ("query",)),
}


def with_clauses(tree: exp.Expr, statement: Statement) -> exp.Expr:
    """Returns the tree of a statement with marks in the place of the calls.

    Raises:
        NotInTreeError: a call stands where sqlglot has read it as something else.
    """
    tree = _unwrap(tree)
    table = only_relation(tree)
    if isinstance(table, exp.Table) and is_call(table.this):
        tree = _from_call(table.this, statement)
    elif isinstance(tree, exp.Create):
        _mark_create(tree, statement)
    if any(is_call(node) and node.arg_key != "settings" for node in tree.find_all(exp.Anonymous)):
        raise NotInTreeError
    return tree


def command(typed: str) -> exp.Command:
    """Returns a statement of which sqlglot sees the text only."""
    first, _, rest = typed.partition(" ")
    node = exp.Command(this=first, expression=rest)
    mark(node, STATEMENT, exp.Var(this=typed))
    return node


def _unwrap(tree: exp.Expr) -> exp.Expr:
    """Returns the tree with marks in the place of the calls, but for calls that are statements."""
    root = exp.Tuple(expressions=[tree])
    for node in reversed(list(root.dfs())):
        if isinstance(node, exp.Stream):
            _unwrap_stream(node)
        elif isinstance(node, exp.Table) and is_call(node.this):
            _unwrap_call(node, node.this)
    if any(call.name == COGROUP for node in root.find_all(exp.Select) for call in marks(node)):
        for cte in root.find_all(exp.CTE):
            prevent_merge(cte.this)
    found: exp.Expr = root.expressions[0]
    return found.pop()


def _unwrap_call(table: exp.Table, call: exp.Anonymous) -> None:
    """Replaces a table that is a call of a placeholder by what the call is about."""
    name = call.name.lower()
    if name in (ASSUME, WATERMARK):
        _unwrap_relation_call(table, call)
    elif name == EMIT:
        _unwrap_emit(table, call)
    elif name == COGROUP:
        _unwrap_cogroup(table, call)


def _unwrap_relation_call(table: exp.Table, call: exp.Anonymous) -> None:
    """Replaces a call around a relation by the relation."""
    query = _table_argument(call.expressions[0])
    relation = only_relation(query)
    if relation is None:
        relation = exp.Subquery(this=query)
    arguments = _clause_arguments(call)
    _replace(table, relation).add_comments(_comments(table, call))
    if call.name.lower() == ASSUME:
        for column in _columns(arguments):  # the query may have columns of the same name
            if relation.alias_or_name and not column.table:
                column.set("table", exp.to_identifier(relation.alias_or_name))
        mark(relation, ASSUME, *arguments)
    else:
        _mark_unbounded(relation, WATERMARK, *arguments)
    source = relation.find_ancestor(exp.Subquery)
    if source is not None and source.arg_key == "using" and not source.alias:  # of a MERGE
        source.replace(relation if only_relation(source.this) is relation else source)


def _unwrap_stream(stream: exp.Stream) -> None:
    """Replaces a STREAM by its relation."""
    relation = stream.this
    if isinstance(relation, exp.Subquery) and isinstance(relation.this, exp.Table):
        relation = _replace(relation, relation.this)  # STREAM (t) AS x is STREAM t AS x
    _replace(stream, relation).add_comments(_comments(stream))
    _mark_unbounded(relation, STREAM)


def _replace(node: exp.Expr, relation: exp.Expr) -> exp.Expr:
    """Returns a relation, put into the place of a node, with the joins and samples after it."""
    relation.pop()
    for name in _AFTER_RELATION:
        if value := node.args.get(name):
            relation.set(name, value)
    return node.replace(relation)


def _mark_unbounded(relation: exp.Expr, name: str, *arguments: exp.Expr) -> None:
    """Marks a relation of a streaming query."""
    if not isinstance(relation, (exp.Table, exp.Subquery)):
        raise NotInTreeError
    mark(relation, name, *arguments)
    refuse_other_dialects(relation, "STREAM or WATERMARK")


def _unwrap_emit(table: exp.Table, call: exp.Anonymous) -> None:
    """Replaces SELECT * FROM a call by the query in the call."""
    outer = table.parent_select
    query = _table_argument(call.expressions[0])
    if not isinstance(outer, exp.Select) or only_relation(outer) is not table:
        raise NotInTreeError
    arguments = _clause_arguments(call)
    # columns of the result, which are in no scope of the optimizer
    for column in _columns(arguments):
        column.replace(exp.Dot.build(column.parts) if column.table else column.this)
    query.pop()
    query.add_comments(outer.comments, prepend=True)
    query.add_comments(_comments(outer.args["from_"], table, call))
    outer.replace(query)
    mark(query, EMIT, *arguments)
    for name, option in (("keys", "KEY"), ("change_type", "WITH CHANGE TYPE")):
        if any(item.name == name for item in arguments):
            refuse_other_dialects(query, f"EMIT ON CHANGE … {option}")


def _unwrap_cogroup(table: exp.Table, call: exp.Anonymous) -> None:
    """Replaces FROM a call by the plain SQL for which the COGROUP stands."""
    select = table.parent_select
    if not isinstance(select, exp.Select):
        raise NotInTreeError
    for item in call.expressions:
        if is_call(item.expression, "table"):
            item.expression.set("expressions", [_table_argument(item.expression)])
    parts = read_call(call, select)
    if len({len(branch.keys) for branch in parts.branches}) != 1 or not parts.names:
        raise NotInTreeError
    keys = [item.expression for item in call.expressions if item.name == BY]
    columns = [key for each in keys for key in each.expressions if isinstance(key, exp.Column)]
    group = select.args.get("group") or exp.Group()
    select.add_comments(_comments(select.args["from_"], table, call, *keys, *columns), prepend=True)
    select.add_comments(_comments(group, *group.expressions))
    expand(select, parts)


def _clause_arguments(call: exp.Anonymous) -> list[exp.Expr]:
    """Returns what a call says beside its query, with words in the place of literals."""
    arguments: list[exp.Expr] = call.expressions[1:]
    for item in arguments:
        if isinstance(item.expression, exp.Literal):
            word = exp.Var(this=item.expression.name)
            word.add_comments(item.expression.comments)
            item.set("expression", word)
    return arguments


def _columns(nodes: list[exp.Expr]) -> list[exp.Column]:
    return [column for node in nodes for column in node.find_all(exp.Column)]


def _comments(*nodes: exp.Expr) -> list[str]:
    """Returns the comments of nodes that leave the tree, with those of a call's arguments."""
    found: list[str] = []
    for node in nodes:
        inside = [*node.expressions, *node.find_all(exp.Kwarg, exp.Var)] if is_call(node) else []
        for each in [node, *inside]:
            found += each.pop_comments() or []
    return found


def _table_argument(table: exp.Expr) -> exp.Expr:
    """Returns the query of TABLE(query)."""
    query = table.expressions[0] if is_call(table, "table") else table
    if isinstance(query, (exp.Order, exp.Limit)) and isinstance(query.this, exp.Query):
        inner, tail = query.this, query
        tail.set("this", None)
        inner.set(tail.key, tail)
        return inner
    if not isinstance(query, (exp.Query, exp.Values)):
        raise NotInTreeError
    return query


def _from_call(call: exp.Anonymous, statement: Statement) -> exp.Expr:
    """Returns the tree of a statement that was lowered to a call.

    Raises:
        NotInTreeError: the statement is about something for which sqlglot has no tree.
    """
    kind, words, names = _STATEMENTS.get(call.name.lower(), (None, "", ()))
    # EXPLAIN CLAUSES STREAMING QUERY is about a name
    if kind is None or (kind is exp.Describe and argument(call, "name") is not None):
        return command(statement.typed)
    holes = dict(zip(names, ("this", "expression"), strict=False))
    pieces = _pieces(statement, holes)
    node = kind(**{part: _held(call, name) for name, part in holes.items()})
    mark(node, STATEMENT, *pieces)
    refuse_other_dialects(node, words.format(*statement.typed.upper().split()))
    return node


def _held(call: exp.Anonymous, name: str) -> exp.Expr:
    """Returns what TABLE(…) of an argument holds, taken out of it; a name as a table."""
    table = argument(call, name) or call.expressions[0]
    if not table.expressions:
        raise NotInTreeError
    found: exp.Expr = table.expressions[0].pop()
    if isinstance(found, exp.Column):
        parts = reversed(found.parts)
        return exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=False)))
    held = only_relation(found) if name == "relation" else found
    if held is None:
        raise NotInTreeError
    return held


def _mark_create(tree: exp.Create, statement: Statement) -> None:
    """Marks CREATE GLOBAL TABLE … USING …, which is lowered to an option of CREATE TABLE."""
    properties = tree.args.get("properties") or exp.Properties(expressions=[])
    options, table = properties.expressions, tree.find(exp.Table)
    others = [
        item for item in options if not any(is_call(each, globaltable.CALL) for each in item.walk())
    ]
    places = [] if table is None else [part.meta for part in table.parts]
    if len(others) == len(options) or not all("start" in place for place in places):
        return
    properties.set("expressions", others)
    first, last = places[0]["start"], places[-1]["end"] + 1
    before, after = statement.sql[statement.start : first], statement.sql[last : statement.stop]
    mark(tree, STATEMENT, exp.Var(this=before), exp.Anonymous(this="table"), exp.Var(this=after))
    refuse_other_dialects(tree, "CREATE GLOBAL TABLE")


def _pieces(statement: Statement, holes: dict[str, str]) -> list[exp.Expr]:
    """Returns the typed text, in nodes that tools leave alone, and the arguments for its holes."""
    pieces: list[exp.Expr] = []
    at, sql = statement.start, statement.sql
    for name, part in holes.items():
        ends = [edit for edit in statement.edits if edit.argument == name]
        if not ends:  # a call that was typed as such
            raise NotInTreeError
        hole = sql[ends[0].stop : ends[-1].start]
        first = ends[0].stop + len(hole) - len(hole.lstrip())
        pieces += [exp.Var(this=sql[at:first]), exp.Anonymous(this=part)]
        at = first + len(hole.strip())
    return [*pieces, exp.Var(this=sql[at : statement.stop])]
