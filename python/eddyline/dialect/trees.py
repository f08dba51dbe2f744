"""Turns sqlglot's tree of a lowered text into one of queries and relations with marks."""

from __future__ import annotations

from sqlglot import exp

from eddyline.dialect.branches import read_call
from eddyline.dialect.cogroup import expand
from eddyline.dialect.marks import (
    ASSUME,
    BY,
    COGROUP,
    EMIT,
    STREAM,
    WINDOW,
    argument,
    is_call,
    keep_apart,
    mark,
    marks,
    refuse_plain,
)
from eddyline.dialect.parts import NotInTreeError, only_relation


def see_through(tree: exp.Expr) -> exp.Expr:
    """Returns the tree with marks in the place of the calls, but for calls that are statements.

    Raises:
        NotInTreeError: a call stands where sqlglot has read it as something else.
    """
    root = exp.Tuple(expressions=[tree])
    for node in reversed(list(root.dfs())):
        if isinstance(node, exp.Table) and is_call(node.this):
            _replace(node)
        elif is_call(node, WINDOW):
            node.set("this", "window")
    if any(call.name == COGROUP for node in root.find_all(exp.Select) for call in marks(node)):
        for cte in root.find_all(exp.CTE):
            keep_apart(cte.this)
    found: exp.Expr = root.expressions[0]
    found.pop()
    return found


def _replace(table: exp.Table) -> None:
    call = table.this
    name = call.name.lower()
    if name in (ASSUME, STREAM):
        _see_relation(table, call)
    elif name == EMIT:
        _see_query(table, call)
    elif name == COGROUP:
        _see_cogroup(table, call)


def _see_relation(table: exp.Table, call: exp.Anonymous) -> None:
    """Replaces a call around a relation by the relation."""
    query = _table_argument(call.expressions[0])
    relation = only_relation(query)
    if relation is None:
        relation = exp.Subquery(this=query)
    relation.pop()
    for name in ("alias", "joins", "laterals", "pivots", "sample"):
        if value := table.args.get(name):
            relation.set(name, value)
    table.replace(relation)
    rest = _without_query(call)
    relation.add_comments(_comments(table, call, rest))
    if rest.name == ASSUME:
        _qualify_keys(rest, relation)
    elif not isinstance(relation, (exp.Table, exp.Subquery)):
        raise NotInTreeError
    else:
        refuse_plain(relation, "STREAM or WATERMARK")
    mark(relation, rest)
    merge_source = relation.find_ancestor(exp.Subquery)
    if merge_source is not None and merge_source.arg_key == "using":
        select = merge_source.this
        if only_relation(select) is relation and not merge_source.alias:
            merge_source.replace(relation)


def _qualify_keys(call: exp.Anonymous, relation: exp.Expr) -> None:
    """Qualifies the keys of a claim, since the query may have columns of the same name."""
    keys = argument(call, "keys")
    name = relation.alias_or_name
    if keys is None or not name:
        return
    for column in keys.find_all(exp.Column):
        if not column.table:
            column.set("table", exp.to_identifier(name))


def _see_query(table: exp.Table, call: exp.Anonymous) -> None:
    """Replaces SELECT * FROM a call by the query in the call."""
    outer = table.parent_select
    query = _table_argument(call.expressions[0])
    if not isinstance(outer, exp.Select) or only_relation(outer) is not table:
        raise NotInTreeError
    rest = _without_query(call)
    # columns of the result, which are in no scope of the optimizer
    for column in list(rest.find_all(exp.Column)):
        column.replace(exp.Dot.build(column.parts) if column.table else column.this)
    query.pop()
    query.add_comments(outer.comments, prepend=True)
    query.add_comments(_comments(outer.args["from_"], table, call, rest))
    outer.replace(query)
    mark(query, rest)
    if argument(rest, "keys") is not None:
        refuse_plain(query, "EMIT ON CHANGE … KEY")


def _see_cogroup(table: exp.Table, call: exp.Anonymous) -> None:
    """Replaces FROM a call by the plain SQL for which the COGROUP stands."""
    select = table.parent_select
    if not isinstance(select, exp.Select):
        raise NotInTreeError
    for item in call.expressions:
        is_branch = is_call(item.expression, "table")
        if is_branch:
            item.expression.set("expressions", [_table_argument(item.expression)])
    parts = read_call(call, select)
    if len({len(branch.keys) for branch in parts.branches}) != 1 or not parts.names:
        raise NotInTreeError
    keys = [item.expression for item in call.expressions if item.name == BY]
    columns = [key for each in keys for key in each.expressions if isinstance(key, exp.Column)]
    taken = _comments(select.args["from_"], table, call, *keys, *columns)
    select.add_comments(taken, prepend=True)
    group = select.args.get("group")
    if group is not None:
        select.add_comments(_comments(group, *group.expressions))
    expand(select, parts)


def _without_query(call: exp.Anonymous) -> exp.Anonymous:
    """Returns the mark of a call: what stands beside its query, with words for literals."""
    rest = exp.Anonymous(this=call.this, expressions=call.expressions[1:])
    for item in rest.expressions:
        if isinstance(item.expression, exp.Literal):
            word = exp.Var(this=item.expression.name)
            word.comments = item.expression.comments
            item.set("expression", word)
    return rest


def _comments(*nodes: exp.Expr) -> list[str]:
    """Returns the comments of nodes that leave the tree, with those of a call's arguments."""
    found: list[str] = []
    for node in nodes:
        inside = list(node.find_all(exp.Kwarg, exp.Var)) if is_call(node) else []
        for each in [node, *inside]:
            found += each.comments or []
            each.comments = None
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
