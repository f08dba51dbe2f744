"""The aggregates of a COGROUP in plain SQL, where each row has the columns of all branches.

An aggregate that NULLs affect is restricted to the rows of its branch, and the name of a key is
the key over all branches. A branch without rows gives the empty value that Spark's aggregate has,
where that of another engine is NULL.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from eddyline.dialect.parts import CoGroup

_LISTS = (exp.ArrayAgg, exp.ArrayUniqueAgg)

# aggregates of a column that skip its NULLs
_SKIP_NULLS = (*_LISTS, exp.Avg, exp.Count, exp.Max, exp.Min, exp.Sum)

# IGNORE NULLS and RESPECT NULLS, and all that may stand around the function of an aggregate
_NULLS = (exp.IgnoreNulls, exp.RespectNulls)
_AROUND = (exp.Filter, exp.WithinGroup, *_NULLS)

# an expression that needs no brackets inside another, unless it is a Binary
_CLOSED = (exp.Filter, exp.Func, exp.Paren, exp.Window)

# what gives another value each time that it stands in a query
_RANDOM = (exp.Rand, exp.Randn, exp.Uuid)

# the nodes of the longest expression that is written out for a name: each name that uses the one
# before it twice doubles them
_MAX_NODES = 300


def in_plain(node: exp.Expr, cogroup: CoGroup) -> exp.Expr:
    """Returns an expression over keys and aggregates in plain SQL."""

    def rewrite(item: exp.Expr) -> exp.Expr | None:
        if isinstance(item, exp.Column):
            return cogroup.key_of(item)
        if not _is_aggregate(item, cogroup):
            return None
        if isinstance(item, _NULLS):  # which stand after the FILTER
            return _with_empty_value(type(item)(this=_restricted(item.this, cogroup)), cogroup)
        return _with_empty_value(_restricted(item, cogroup), cogroup)

    return _rewritten(node.copy(), rewrite)


def set_results(cogroup: CoGroup, aggregates: list[exp.Expr]) -> None:
    """Keeps what each name among aggregates in plain SQL stands for, those before it resolved.

    A name that occurs twice stands for neither. Spark calls it ambiguous, so it stays as it is.
    """
    cogroup.results, cogroup.too_long = [], set()
    taken = {name.name.lower() for name in cogroup.names}
    for item in aggregates:
        if not isinstance(item, exp.Alias):
            continue
        name = item.alias.lower()
        if name in taken:
            cogroup.results = [each for each in cogroup.results if each[0].name.lower() != name]
            cogroup.too_long.discard(name)
            continue
        taken.add(name)
        if any(_is_too_long(node, cogroup) for node in item.this.walk()):
            cogroup.too_long.add(name)
            continue
        value = with_results(item.this, cogroup)
        nodes = list(value.walk())
        if len(nodes) > _MAX_NODES:
            cogroup.too_long.add(name)
            continue
        is_fixed = not any(isinstance(node, _RANDOM) for node in nodes)
        if is_fixed and any(_is_aggregate(node, cogroup) for node in nodes):
            is_closed = isinstance(value, _CLOSED) and not isinstance(value, exp.Binary)
            value = value if is_closed else exp.Paren(this=value)
            cogroup.results.append((item.args["alias"], value))


def with_results(node: exp.Expr, cogroup: CoGroup) -> exp.Expr:
    """Returns an expression with the aggregates that it names.

    Outside ORDER BY some engines know no names of the result, and others prefer those of the input.
    """
    values = {name.name.lower(): value for name, value in cogroup.results}

    def rewrite(item: exp.Expr) -> exp.Expr | None:
        if isinstance(item, exp.Column) and len(item.parts) == 1:
            found = values.get(item.name.lower())
            if _is_too_long(item, cogroup):
                cogroup.no_plain.append("a name that stands for too long an expression")
            return None if found is None else found.copy()
        return item if _is_aggregate(item, cogroup) else None

    return _rewritten(node.copy(), rewrite)


def _is_too_long(node: exp.Expr, cogroup: CoGroup) -> bool:
    """Returns whether a node is the name of an aggregate that is not written out."""
    is_name = isinstance(node, exp.Column) and len(node.parts) == 1
    return is_name and node.name.lower() in cogroup.too_long


def _rewritten(node: exp.Expr, rewrite: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """Returns a tree with the topmost nodes replaced that `rewrite` replaces."""
    found = rewrite(node)
    if found is not None:
        return found
    for child in [] if isinstance(node, exp.Query) else list(node.iter_expressions()):
        again = _rewritten(child, rewrite)
        if again is not child:
            child.replace(again)
    return node


def _restricted(unit: exp.Expr, cogroup: CoGroup) -> exp.Expr:
    """Returns an aggregate restricted to the rows of its branch."""
    columns = list(unit.find_all(exp.Column))
    if any(_is_inside(column, cogroup) for column in columns):
        cogroup.no_plain.append("a table inside a branch")
    branches = [found for column in columns if (found := cogroup.branch_of(column))]
    keys = [(column, key) for column in columns if (key := cogroup.key_of(column))]
    for column, key in keys:
        column.replace(key)
    if _skips_nulls(unit) or len(keys) == len(columns):
        return unit
    if not branches or any(branch is not branches[0] for branch in branches):
        cogroup.no_plain.append("an aggregate of no single branch")
        return unit
    return _filtered(unit, branches[0].presence())


def _filtered(unit: exp.Expr, test: exp.Expr) -> exp.Expr:
    """Returns an aggregate over the rows that also pass a test."""
    inner = unit
    if isinstance(unit, exp.Filter):
        inner, own = unit.this, unit.expression.this
        test = exp.And(this=test, expression=exp.Paren(this=own.copy()))
    if isinstance(inner, exp.Count) and isinstance(inner.this, exp.Column) and inner.this.is_star:
        inner = exp.Count(this=exp.Star(), big_int=True)
    return exp.Filter(this=inner.copy(), expression=exp.Where(this=test))


def _with_empty_value(unit: exp.Expr, cogroup: CoGroup) -> exp.Expr:
    """Returns an aggregate that is empty, and not NULL, without rows, if Spark's is."""
    inner = _function(unit)
    if isinstance(inner, _LISTS):
        return exp.Coalesce(this=unit.copy(), expressions=[_empty(inner)])
    if not isinstance(inner, exp.CountIf):
        return unit
    if isinstance(inner.this, exp.Distinct):
        cogroup.no_plain.append("count_if of DISTINCT")
        return unit
    count = _count_of(inner.this)
    if inner is unit:
        return count
    inner.replace(count)
    return unit


def _count_of(condition: exp.Expr) -> exp.Expr:
    """Returns the count of the rows for which a condition is true."""
    case = exp.Case(ifs=[exp.If(this=condition.copy(), true=exp.true())])
    return exp.Count(this=case, big_int=True)


def _empty(aggregate: exp.Expr) -> exp.Expr:
    """Returns an empty list with the type of a list's elements, which PostgreSQL has to know."""
    element = aggregate.this
    while isinstance(element, (exp.Distinct, exp.Limit, exp.Order)):
        element = element.expressions[0] if isinstance(element, exp.Distinct) else element.this
    none = exp.Lambda(this=exp.false(), expressions=[exp.to_identifier("item")])
    return exp.ArrayFilter(this=exp.ArrayAgg(this=element.copy()), expression=none)


def _is_aggregate(node: exp.Expr, cogroup: CoGroup) -> bool:
    """Returns whether a node is an aggregate with all that belongs to it, such as its FILTER.

    A function that sqlglot does not know is one if it takes columns of a branch as they are.
    """
    if _is_over_window(node):
        return False
    node = _function(node)
    if not isinstance(node, exp.Anonymous) or node.find(exp.AggFunc):
        return isinstance(node, exp.AggFunc)
    return any(cogroup.branch_of(column) for column in node.find_all(exp.Column))


def _function(unit: exp.Expr) -> exp.Expr:
    """Returns the function of an aggregate, without what belongs to it, such as its FILTER."""
    while isinstance(unit, _AROUND):
        unit = unit.this
    return unit


def _is_over_window(node: exp.Expr) -> bool:
    """Returns whether a function has an OVER, so that aggregates may stand inside it."""
    parent = node.parent
    while isinstance(parent, _AROUND):
        parent = parent.parent
    return isinstance(parent, exp.Window)


def _skips_nulls(unit: exp.Expr) -> bool:
    """Returns whether the rows of other branches, which are NULLs, change nothing."""
    if not isinstance(unit, _SKIP_NULLS) or isinstance(unit.parent, exp.RespectNulls):
        return False
    inside = unit.this.expressions if isinstance(unit.this, exp.Distinct) else [unit.this]
    return all(isinstance(item, exp.Column) and not item.is_star for item in inside)


def _is_inside(column: exp.Column, cogroup: CoGroup) -> bool:
    """Returns whether a table of a branch without a name, such as a join, qualifies a column."""
    known = cogroup.branch_of(column) or cogroup.key_of(column)
    return bool(cogroup.unnamed() and column.table and not known)
