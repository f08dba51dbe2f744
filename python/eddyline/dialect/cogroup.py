"""COGROUP as the plain SQL that it stands for.

    COGROUP cart BY customer_id, purchases BY buyer
    AGGREGATE count(cart.item) AS in_cart, first(purchases.price) AS price

is a full join that matches no rows, so that each row of a branch stands alone beside NULLs:

    SELECT COALESCE(cart.customer_id, purchases.buyer) AS customer_id, COUNT(cart.item) AS in_cart,
      FIRST(purchases.price) FILTER(WHERE NOT purchases.buyer IS NULL) AS price
    FROM cart FULL JOIN purchases
      ON cart.customer_id = purchases.buyer AND cart.customer_id < purchases.buyer
    WHERE NOT COALESCE(cart.customer_id, purchases.buyer) IS NULL
    GROUP BY COALESCE(cart.customer_id, purchases.buyer)

The condition of the join is never true, but spreads the rows by the key. An aggregate that NULLs
affect is restricted to its branch. A row without a key belongs to no group.
"""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from eddyline.dialect.aggregates import in_plain, set_results, with_results
from eddyline.dialect.marks import (
    BY,
    COGROUP,
    STREAM,
    WATERMARK,
    NotInTreeError,
    argument,
    mark,
    marks,
    prevent_merge,
    refuse_other_dialects,
)
from eddyline.dialect.parts import Branch, CoGroup, is_not_null, name_of, only_relation
from eddyline.lowering.cogroup import BRANCH_BIT, KEY_NAMES, USING

_KEY = "__eddyline_key_"


def read_call(call: exp.Anonymous, select: exp.Select) -> CoGroup:
    """Returns the parts that a call of the placeholder and the SELECT around it hold."""
    branches: list[Branch] = []
    typed: list[list[exp.Expr]] = []
    for item in call.expressions:
        if item.name == BY:
            typed[-1] = [_without_brackets(key) for key in item.expression.expressions]
        elif item.name not in (USING, KEY_NAMES):
            query = item.expression.expressions[0]
            branches.append(Branch(exp.to_identifier(item.name), query, []))
            typed.append([])
    using = _listed(call, USING)
    first = typed[0] or using
    found = CoGroup(branches, _key_names(first, _listed(call, KEY_NAMES)), select.expressions)
    for branch, keys in zip(branches, typed, strict=True):
        _name_source(branch, keys or [column.copy() for column in using])
    if any(_is_window(key, "session_window") for key in first):
        found.no_plain.append("session_window")
    if any(_is_stream(node) for branch in branches for node in branch.source.walk()):
        found.no_plain.append("a stream")
    if having := select.args.get("having"):
        _read_having(found, having.this)
    return found


def _without_brackets(key: exp.Expr) -> exp.Expr:
    """Returns a key without the brackets around all of it, which Spark's parser drops too."""
    found: exp.Expr = key.unnest()
    found.add_comments(key.comments if found is not key else None)
    return found


def _listed(call: exp.Anonymous, name: str) -> list[exp.Expr]:
    """Returns the items of an argument that is a list; none if the call has no such argument."""
    found = argument(call, name)
    return [] if found is None else found.expressions


def _read_having(cogroup: CoGroup, condition: exp.Expr) -> None:
    """Reads the condition after HAVING, which may begin with that on the branches."""
    test, own = condition, None
    if isinstance(condition, exp.And) and isinstance(condition.expression, exp.Paren):
        test, own = condition.this, condition.expression.this
    columns = {column.name for column in test.find_all(exp.Column)}
    if isinstance(test, exp.GTE) and BRANCH_BIT in columns:
        if not test.expression.is_int:
            raise NotInTreeError  # a parameter
        cogroup.required, cogroup.having = int(test.expression.name.lstrip("0")), own
    else:
        cogroup.having = condition


def _key_names(keys: list[exp.Expr], given: list[exp.Expr]) -> list[exp.Identifier]:
    """Returns the names of the keys: as given, else as Spark names them."""
    names = [name.name if name.is_string else "" for name in given]
    names += [""] * (len(keys) - len(names))
    return [
        exp.to_identifier(name) if name else _default_name(key)
        for key, name in zip(keys, names, strict=False)
    ]


def _default_name(key: exp.Expr) -> exp.Identifier:
    """Returns the name of a key that has none: its column or field, else its text."""
    if isinstance(key, exp.Column) and isinstance(key.this, exp.Identifier):
        return key.this.copy()
    if isinstance(key, exp.Dot):
        return exp.to_identifier(key.name)
    is_window = _is_window(key, "window", "session_window")
    return exp.to_identifier((key.name if is_window else key.sql("spark")).lower())


def _is_window(key: exp.Expr, *names: str) -> bool:
    return isinstance(key, exp.Anonymous) and key.name.lower() in names


def _is_stream(node: exp.Expr) -> bool:
    return any(call.name in (STREAM, WATERMARK) for call in marks(node))


def _name_source(branch: Branch, keys: list[exp.Expr]) -> None:
    """Makes the query of a branch a relation with its name, whose keys are columns."""
    query = branch.source
    branch.name = _as_named(branch.name, query)
    computed: list[exp.Expr] = []
    for position, key in enumerate(keys):
        column = _own_column(branch, key)
        if column is None:
            name = exp.to_identifier(f"{_KEY}{position + 1}")
            computed.append(exp.Alias(this=key, alias=name))
            column = exp.Column(this=name.copy(), table=branch.name.copy())
        branch.keys.append(column)
    relation = only_relation(query)
    named = relation is not None and name_of(relation).name.lower() == branch.name.name.lower()
    if relation is not None and named and not computed:
        if isinstance(relation, exp.Subquery):
            prevent_merge(relation.this)
        branch.source = relation
        return
    query.set("expressions", [*query.expressions, *computed])
    # above the full join, a key of this branch would be evaluated for the rows of the others
    prevent_merge(query)
    branch.source = exp.Subquery(this=query, alias=exp.TableAlias(this=branch.name.copy()))


def _as_named(name: exp.Identifier, query: exp.Expr) -> exp.Identifier:
    """Returns the name of a branch as the relation in its query has it, with its quotes."""
    source = query.args.get("from_")
    found = exp.Identifier(this="") if source is None else name_of(source.this)
    return found.copy() if found.name.lower() == name.name.lower() else name


def _own_column(branch: Branch, key: exp.Expr) -> exp.Column | None:
    """Returns a key that is a column of the branch, with its name; else None."""
    if not isinstance(key, exp.Column) or not isinstance(key.this, exp.Identifier):
        return None
    if key.args.get("db") or key.table.lower() not in ("", branch.name.name.lower()):
        return None
    return exp.Column(this=key.this.copy(), table=branch.name.copy())


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
    above = [*_tails(select), *([select.args["having"]] if select.args.get("having") else [])]
    if any(column.is_star for node in above for column in node.find_all(exp.Column)):
        # plain SQL has the star of a relation only where GROUP BY has not been applied
        cogroup.no_plain.append("the star of a branch outside the list of AGGREGATE")
    mark(select, COGROUP)
    if cogroup.no_plain:
        refuse_other_dialects(select, f"COGROUP with {cogroup.no_plain[0]}", always=True)


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
