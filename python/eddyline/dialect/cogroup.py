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

from functools import reduce

from sqlglot import exp

from eddyline.dialect.aggregates import from_plain, in_plain, set_results, with_results
from eddyline.dialect.marks import COGROUP, mark, refuse_plain
from eddyline.dialect.parts import Branch, CoGroup, is_not_null, split_condition

# the parts of a SELECT that a COGROUP stands for
_PARTS = ("expressions", "from_", "joins", "where", "group", "having")


def expand(select: exp.Select, cogroup: CoGroup) -> None:
    """Gives a SELECT the parts of a COGROUP as plain SQL."""
    keys = cogroup.keys()
    aggregates = [in_plain(item, cogroup) for item in cogroup.aggregates]
    set_results(cogroup, aggregates)
    named = [
        exp.Alias(this=key.copy(), alias=name.copy())
        for key, name in zip(keys, cogroup.names, strict=True)
    ]
    select.set("expressions", [*named, *aggregates])
    select.set("from_", exp.From(this=cogroup.branches[0].source))
    select.set("joins", [_join(cogroup, index) for index in range(1, len(cogroup.branches))])
    select.set("where", exp.Where(this=_all_of(*map(is_not_null, keys))))
    select.set("group", exp.Group(expressions=keys))
    select.set("having", _having(cogroup))
    if _orders_result(select):
        _order_above(select)
    for tail in _tails(select):
        tail.replace(with_results(in_plain(tail, cogroup), cogroup))
    over_groups = [*cogroup.aggregates, *([cogroup.having] if cogroup.having else [])]
    if any(node.find(exp.Query) for node in over_groups):
        cogroup.no_plain.append("a subquery over its groups")
    mark(select, COGROUP, exp.Var(this=str(cogroup.required)))
    if cogroup.no_plain:
        refuse_plain(select, f"COGROUP with {cogroup.no_plain[0]}")


def restore(select: exp.Select, required: int) -> CoGroup | None:
    """Returns the parts of a SELECT that was a COGROUP; None if a tool has made another of it.

    Args:
        select: the SELECT.
        required: how many branches must have rows.
    """
    found = _read(select, required)
    if found is None or not _stands_for(found, select):
        return None
    for tail in _tails(select):
        tail.replace(from_plain(tail, found))
    return found


def _read(select: exp.Select, required: int) -> CoGroup | None:
    """Returns the parts of a SELECT, if it has such parts as a COGROUP."""
    source, joins = select.args.get("from_"), select.args.get("joins") or []
    group = select.args.get("group") or exp.Group()
    keys = [[key.this, *key.expressions] for key in group.expressions]
    named, aggregates = select.expressions[: len(keys)], select.expressions[len(keys) :]
    is_grouped = keys and all(isinstance(item, exp.Alias) for item in named)
    if source is None or not is_grouped or not aggregates:  # which a COGROUP has to have
        return None
    is_column = all(isinstance(column, exp.Column) for key in keys for column in key)
    if not is_column or any(len(key) != len(joins) + 1 for key in keys):
        return None
    branches = [
        Branch(columns[0].args.get("table") or exp.Identifier(this=""), each.this, list(columns))
        for each, columns in zip([source, *joins], zip(*keys, strict=True), strict=True)
    ]
    found = CoGroup(branches, [item.args["alias"] for item in named], [], None, required)
    found.aggregates = [from_plain(item, found) for item in aggregates]
    set_results(found, aggregates)
    if having := select.args.get("having"):
        own = split_condition(having.this)[1] if required else having.this
        found.having = None if own is None else from_plain(own, found)
    return found


def _stands_for(cogroup: CoGroup, select: exp.Select) -> bool:
    """Returns whether the COGROUP stands for exactly the SELECT."""
    again = exp.Select()
    copies = [Branch(each.name, each.source.copy(), each.keys) for each in cogroup.branches]
    having, required = cogroup.having, cogroup.required
    expand(again, CoGroup(copies, cogroup.names, cogroup.aggregates, having, required))
    return all((again.args.get(part) or None) == (select.args.get(part) or None) for part in _PARTS)


def _tails(select: exp.Select) -> list[exp.Expr]:
    """Returns the conditions of QUALIFY, and the expressions of ORDER BY that are no columns.

    A column there is one of the result.
    """
    order, qualify = select.args.get("order"), select.args.get("qualify")
    items = [] if order is None else [item.this for item in order.expressions]
    found = [item for item in items if not isinstance(item, exp.Column)]
    return found if qualify is None else [qualify.this, *found]


def _orders_result(select: exp.Select) -> bool:
    """Returns whether ORDER BY has an expression over names of the result, and there is a HAVING.

    Spark then finds the names of the result alone, and other engines those of the input alone.
    """
    order = select.args.get("order")
    if order is None or not select.args.get("having"):
        return False
    if all(isinstance(item.this, exp.Column) for item in order.expressions):
        return False
    names = {name.lower() for name in select.named_selects}
    columns = order.find_all(exp.Column)
    is_of_result = all(len(each.parts) == 1 and each.name.lower() in names for each in columns)
    return is_of_result and not order.find(exp.AggFunc, exp.Query, exp.Window)


def _order_above(select: exp.Select) -> None:
    """Puts a query that orders the rows around a SELECT."""
    outer = exp.Select(expressions=[exp.Star()])
    select.replace(outer)
    for part in ("with_", "order", "limit", "offset"):
        outer.set(part, select.args.get(part))
        select.set(part, None)
    alias = exp.TableAlias(this=exp.to_identifier("cogroup"))
    outer.set("from_", exp.From(this=exp.Subquery(this=select, alias=alias)))


def _join(cogroup: CoGroup, index: int) -> exp.Join:
    """Returns the join of a branch with those before it, which matches no rows."""
    branch = cogroup.branches[index]
    key = branch.keys[0]
    left, *others = [each.keys[0].copy() for each in cogroup.branches[:index]]
    before = exp.Coalesce(this=left, expressions=others) if others else left
    never = exp.And(
        this=exp.EQ(this=before, expression=key.copy()),
        expression=exp.LT(this=before.copy(), expression=key.copy()),
    )
    return exp.Join(this=branch.source, side="FULL", on=never)


def _having(cogroup: CoGroup) -> exp.Having | None:
    """Returns the conditions on the branches and on the groups, if there are any."""
    conditions = [_presence(cogroup)] if cogroup.required else []
    if cogroup.having is not None:
        own = with_results(in_plain(cogroup.having, cogroup), cogroup)
        conditions.append(exp.Paren(this=own) if conditions else own)
    return exp.Having(this=_all_of(*conditions)) if conditions else None


def _presence(cogroup: CoGroup) -> exp.Expr:
    """Returns the condition that enough branches have rows."""
    keys = [branch.keys[0].copy() for branch in cogroup.branches]
    tests: list[exp.Expr] = [exp.Count(this=key, big_int=True) > 0 for key in keys]
    if cogroup.required == len(tests):
        return _all_of(*tests)
    counts: list[exp.Expr] = [exp.cast(test, "int", copy=False) for test in tests]
    total = reduce(lambda one, other: exp.Add(this=one, expression=other), counts)
    return exp.GTE(this=total, expression=exp.Literal.number(cogroup.required))


def _all_of(*conditions: exp.Expr) -> exp.Expr:
    return exp.and_(*conditions, copy=False, wrap=False)
