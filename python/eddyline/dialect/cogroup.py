"""COGROUP as the plain SQL that it stands for, and back.

    COGROUP cart BY customer_id, purchases BY buyer
    AGGREGATE count(cart.item) AS in_cart, first(purchases.price) AS price

is a full join that matches no rows, so that each row of a branch stands alone beside NULLs:

    SELECT COALESCE(cart.customer_id, purchases.buyer) AS customer_id, COUNT(cart.item) AS in_cart,
      FIRST(purchases.price) FILTER(WHERE NOT purchases.buyer IS NULL) AS price
    FROM cart FULL JOIN purchases
      ON cart.customer_id = purchases.buyer AND cart.customer_id < purchases.buyer
    WHERE NOT COALESCE(cart.customer_id, purchases.buyer) IS NULL
    GROUP BY COALESCE(cart.customer_id, purchases.buyer)

The condition of the join is never true, but spreads the rows by the key. An aggregate that looks at
NULLs sees its branch's rows only. A row without a key belongs to no group.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from sqlglot import exp

from eddyline.dialect.aggregates import from_plain, in_plain, set_results, with_results
from eddyline.dialect.marks import COGROUP, mark, marks, refuse_plain
from eddyline.dialect.parts import Branch, CoGroup


def expand(select: exp.Select, cogroup: CoGroup) -> None:
    """Gives a SELECT the parts of a COGROUP as plain SQL."""
    named = [
        exp.Alias(this=key, alias=name.copy())
        for key, name in zip(cogroup.key_expressions(), cogroup.names, strict=True)
    ]
    aggregates = [in_plain(item.copy(), cogroup) for item in cogroup.aggregates]
    select.set("expressions", [*named, *aggregates])
    set_results(cogroup, aggregates)
    first, *others = cogroup.branches
    select.set("from_", exp.From(this=first.source))
    select.set("joins", [_join(cogroup, index) for index in range(1, len(others) + 1)])
    tests = [
        exp.not_(exp.Is(this=key, expression=exp.Null()), copy=False)
        for key in cogroup.key_expressions()
    ]
    select.set("where", exp.Where(this=_conjunction(tests)))
    select.set("group", exp.Group(expressions=cogroup.key_expressions()))
    conditions = [_presence(cogroup)] if cogroup.required else []
    if cogroup.having is not None:
        own = with_results(in_plain(cogroup.having.copy(), cogroup), cogroup)
        conditions.append(exp.Paren(this=own) if conditions else own)
    select.set("having", exp.Having(this=_conjunction(conditions)) if conditions else None)
    if _orders_result(select, cogroup):
        _order_above(select)
    for tail in _tails(select):
        tail.replace(with_results(in_plain(tail.copy(), cogroup), cogroup))
    if any(node.find(exp.Query) for node in _over_groups(cogroup)):
        cogroup.no_plain.append("a subquery over its groups")
    mark(
        select,
        exp.Anonymous(this=COGROUP, expressions=[exp.Var(this=str(cogroup.required))]),
    )
    if cogroup.no_plain:
        refuse_plain(select, f"COGROUP with {cogroup.no_plain[0]}")


def _over_groups(cogroup: CoGroup) -> list[exp.Expr]:
    return [*cogroup.aggregates, *([cogroup.having] if cogroup.having is not None else [])]


def _tails(select: exp.Select) -> list[exp.Expr]:
    """Returns the conditions of QUALIFY, and the expressions of ORDER BY that are no columns.

    A column there is one of the result.
    """
    order, qualify = select.args.get("order"), select.args.get("qualify")
    items = [] if order is None else [item.this for item in order.expressions]
    found = [item for item in items if not isinstance(item, exp.Column)]
    return found if qualify is None else [qualify.this, *found]


def _orders_result(select: exp.Select, cogroup: CoGroup) -> bool:
    """Returns whether ORDER BY has an expression over names of the result, and there is a HAVING.

    Spark then finds the names of the result alone, and other engines those of the input alone.
    """
    order = select.args.get("order")
    if order is None or not select.args.get("having"):
        return False
    result = [*cogroup.names, *(name for name, _ in cogroup.results)]
    names = {name.name.lower() for name in result}
    is_simple = all(isinstance(item.this, exp.Column) for item in order.expressions)
    return (
        not is_simple
        and not order.find(exp.AggFunc, exp.Query, exp.Window)
        and all(
            len(column.parts) == 1 and column.name.lower() in names
            for column in order.find_all(exp.Column)
        )
    )


def _order_above(select: exp.Select) -> None:
    """Puts a query that orders the rows around a SELECT."""
    outer = exp.Select(expressions=[exp.Star()])
    select.replace(outer)
    for part in ("with_", "order", "limit", "offset"):
        outer.set(part, select.args.get(part))
        select.set(part, None)
    alias = exp.TableAlias(this=exp.to_identifier("cogroup"))
    outer.set("from_", exp.From(this=exp.Subquery(this=select, alias=alias)))


def restore(select: exp.Select) -> CoGroup | None:
    """Returns the parts of a marked SELECT; None if a tool has changed it into something else."""
    call = next(call for call in marks(select) if call.name == COGROUP)
    source = select.args.get("from_")
    joins = select.args.get("joins") or []
    coalesced = [
        item
        for item in select.expressions
        if isinstance(item, exp.Alias) and isinstance(item.this, exp.Coalesce)
    ]
    group = select.args.get("group")
    count = len(group.expressions) if isinstance(group, exp.Group) else 0
    keys = [[item.this.this, *item.this.expressions] for item in coalesced[:count]]
    if source is None or not joins or not keys or len(keys) != count:
        return None
    if len(select.expressions) == count:  # without an aggregate it cannot be written
        return None
    sources = [source.this, *(join.this for join in joins)]
    columns = [column for key in keys for column in key]
    complete = all(len(key) == len(sources) for key in keys)
    if not complete or not all(isinstance(column, exp.Column) for column in columns):
        return None
    branches = [
        Branch(each[0].args.get("table") or exp.Identifier(this=""), relation, list(each))
        for relation, each in zip(sources, zip(*keys, strict=True), strict=True)
    ]
    names = [item.args["alias"] for item in coalesced[:count]]
    required = int(call.expressions[0].name)
    found = CoGroup(branches, names, [], None, required)
    found.aggregates = [from_plain(item.copy(), found) for item in select.expressions[count:]]
    set_results(found, select.expressions[count:])
    having = select.args.get("having")
    if having is not None:
        condition = having.this
        if required:
            own = condition.expression if isinstance(condition, exp.And) else None
            condition = own.this if isinstance(own, exp.Paren) else None
        found.having = None if condition is None else from_plain(condition.copy(), found)
    if not _stands_for(found, select):
        return None
    for tail in _tails(select):
        tail.replace(from_plain(tail.copy(), found))
    return found


def _stands_for(cogroup: CoGroup, select: exp.Select) -> bool:
    """Returns whether the COGROUP stands for exactly the SELECT."""
    again = exp.Select()
    copies = [Branch(branch.name, branch.source.copy(), branch.keys) for branch in cogroup.branches]
    expand(
        again,
        CoGroup(copies, cogroup.names, cogroup.aggregates, cogroup.having, cogroup.required),
    )
    parts = ("expressions", "from_", "joins", "where", "group", "having")
    return all(_same(again.args.get(part), select.args.get(part)) for part in parts)


def _same(one: object, other: object) -> bool:
    return (one or None) == (other or None)


def _join(cogroup: CoGroup, index: int) -> exp.Join:
    """Returns the join of a branch with those before it, which matches no rows."""
    before = [branch.keys[0].copy() for branch in cogroup.branches[:index]]
    left = before[0] if index == 1 else exp.Coalesce(this=before[0], expressions=before[1:])
    branch = cogroup.branches[index]
    key = branch.keys[0]
    never = exp.And(
        this=exp.EQ(this=left, expression=key.copy()),
        expression=exp.LT(this=left.copy(), expression=key.copy()),
    )
    return exp.Join(this=branch.source, side="FULL", on=never)


def _presence(cogroup: CoGroup) -> exp.Expr:
    """Returns the condition that enough branches have rows."""
    tests: list[exp.Expr] = [
        exp.GT(
            this=exp.Count(this=branch.keys[0].copy(), big_int=True),
            expression=exp.Literal.number(0),
        )
        for branch in cogroup.branches
    ]
    if cogroup.required == len(tests):
        return _conjunction(tests)
    counts: list[exp.Expr] = [exp.cast(test, "int", copy=False) for test in tests]
    total = reduce(lambda one, other: exp.Add(this=one, expression=other), counts)
    return exp.GTE(this=total, expression=exp.Literal.number(cogroup.required))


def _conjunction(conditions: Sequence[exp.Expr]) -> exp.Expr:
    return reduce(lambda one, other: exp.And(this=one, expression=other), conditions)
