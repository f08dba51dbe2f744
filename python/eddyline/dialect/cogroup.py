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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from sqlglot import exp

from eddyline.dialect.marks import COGROUP, argument, mark, marks, refuse_plain

KEY = "__eddyline_key_"
# aggregates of a column that skip its NULLs
_SKIP_NULLS = (exp.ArrayAgg, exp.ArrayUniqueAgg, exp.Avg, exp.Count, exp.Max, exp.Min, exp.Sum)
_AROUND_AGGREGATE = (exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


@dataclass
class Branch:
    """One branch.

    Attributes:
        name: its name.
        source: its relation as it stands in FROM.
        keys: its keys, as columns of the source.
    """

    name: exp.Identifier
    source: exp.Expr
    keys: list[exp.Column]

    def presence(self) -> exp.Expr:
        """Returns the condition that a row is of this branch."""
        return exp.not_(exp.Is(this=self.keys[0].copy(), expression=exp.Null()), copy=False)


@dataclass
class CoGroup:
    """The parts of a COGROUP.

    Attributes:
        branches: the branches.
        names: the names of the keys.
        aggregates: the aggregates.
        having: the condition after HAVING, without that on the branches.
        required: how many branches must have rows; 0 if one is enough.
        no_plain: what plain SQL cannot say.
    """

    branches: list[Branch]
    names: list[exp.Identifier]
    aggregates: list[exp.Expr]
    having: exp.Expr | None = None
    required: int = 0
    no_plain: list[str] = field(default_factory=list)

    def key(self, position: int) -> exp.Expr:
        """Returns the expression of a key over all branches."""
        columns = [branch.keys[position].copy() for branch in self.branches]
        return exp.Coalesce(this=columns[0], expressions=columns[1:])

    def key_expressions(self) -> list[exp.Expr]:
        """Returns the expressions of all keys."""
        return [self.key(position) for position in range(len(self.names))]


def expand(select: exp.Select, cogroup: CoGroup) -> None:
    """Gives a SELECT the parts of a COGROUP as plain SQL."""
    named = [
        exp.Alias(this=key, alias=name.copy())
        for key, name in zip(cogroup.key_expressions(), cogroup.names, strict=True)
    ]
    aggregates = [_in_plain(item.copy(), cogroup) for item in cogroup.aggregates]
    select.set("expressions", [*named, *aggregates])
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
        own = _in_plain(cogroup.having.copy(), cogroup)
        conditions.append(exp.Paren(this=own) if conditions else own)
    select.set("having", exp.Having(this=_conjunction(conditions)) if conditions else None)
    mark(
        select,
        exp.Anonymous(this=COGROUP, expressions=[exp.Literal.number(cogroup.required)]),
    )
    if cogroup.no_plain:
        refuse_plain(select, f"COGROUP with {cogroup.no_plain[0]}")


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
    found.aggregates = [_from_plain(item.copy(), found) for item in select.expressions[count:]]
    having = select.args.get("having")
    if having is not None:
        condition = having.this
        if required:
            own = condition.expression if isinstance(condition, exp.And) else None
            condition = own.this if isinstance(own, exp.Paren) else None
        found.having = None if condition is None else _from_plain(condition.copy(), found)
    return found if _stands_for(found, select) else None


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


def read_call(call: exp.Anonymous, select: exp.Select) -> CoGroup:
    """Returns the parts that a call of the placeholder and the SELECT around it hold."""
    branches: list[Branch] = []
    using: list[exp.Expr] = []
    typed: list[list[exp.Expr]] = []
    for item in call.expressions:
        if item.name == "__eddyline_by":
            typed[-1] = list(item.expression.expressions)
        elif item.name == "__eddyline_using":
            using = list(item.expression.expressions)
        elif item.name != "__eddyline_key_names":
            query = item.expression.expressions[0]
            branches.append(Branch(exp.to_identifier(item.name), query, []))
            typed.append([])
    first = typed[0] or using
    given = argument(call, "__eddyline_key_names")
    found = CoGroup(branches, _key_names(first, given), list(select.expressions))
    for branch, keys in zip(branches, typed, strict=True):
        _name_source(branch, keys or [column.copy() for column in using])
    if any(
        isinstance(key, exp.Anonymous) and key.name.lower() == "session_window" for key in first
    ):
        found.no_plain.append("session_window")
    having = select.args.get("having")
    if having is not None:
        found.having = having.this
        _read_presence(found)
    return found


def _read_presence(cogroup: CoGroup) -> None:
    """Takes EVERY BRANCH or AT LEAST n BRANCHES out of the condition after HAVING."""
    condition = cogroup.having
    test = condition.this if isinstance(condition, exp.And) else condition
    if not isinstance(test, exp.GTE) or "__eddyline_branch" not in {
        column.name for column in test.find_all(exp.Column)
    }:
        return
    cogroup.required = int(test.expression.name)
    own = condition.expression if isinstance(condition, exp.And) else None
    cogroup.having = own.this if isinstance(own, exp.Paren) else own


def _key_names(keys: list[exp.Expr], given: exp.Expr | None) -> list[exp.Identifier]:
    """Returns the names of the keys: as given, else as Spark names them."""
    names = list(given.expressions) if given is not None else []
    names += [exp.Null()] * (len(keys) - len(names))
    return [
        exp.to_identifier(name.name) if name.is_string else default_name(key)
        for key, name in zip(keys, names, strict=False)
    ]


def default_name(key: exp.Expr) -> exp.Identifier:
    """Returns the name of a key that has none: its column or field, else its text."""
    if isinstance(key, exp.Column) and isinstance(key.this, exp.Identifier):
        return key.this.copy()
    if isinstance(key, exp.Dot):
        return exp.to_identifier(key.name)
    if _is_window(key, "window", "session_window"):
        return exp.to_identifier(key.name.lower())
    return exp.to_identifier(key.sql("spark").lower())


def _is_window(key: exp.Expr, *names: str) -> bool:
    return isinstance(key, exp.Anonymous) and key.name.lower() in names


def _name_source(branch: Branch, keys: list[exp.Expr]) -> None:
    """Makes the query of a branch a relation with its name, whose keys are columns."""
    query = branch.source
    computed: list[exp.Expr] = []
    for position, key in enumerate(keys):
        column = _own_column(branch, key)
        if column is None:
            name = exp.to_identifier(f"{KEY}{position + 1}")
            computed.append(exp.Alias(this=key, alias=name))
            column = exp.Column(this=name.copy(), table=branch.name.copy())
        branch.keys.append(column)
    relation = only_relation(query)
    named = relation is not None and relation.alias_or_name.lower() == branch.name.name.lower()
    if relation is not None and named and not computed:
        branch.source = relation
        return
    query.set("expressions", [*query.expressions, *computed])
    branch.source = exp.Subquery(this=query, alias=exp.TableAlias(this=branch.name.copy()))


def _own_column(branch: Branch, key: exp.Expr) -> exp.Column | None:
    """Returns a key that is a column of the branch, with its name; else None."""
    if not isinstance(key, exp.Column) or not isinstance(key.this, exp.Identifier):
        return None
    if key.args.get("db") or key.table.lower() not in ("", branch.name.name.lower()):
        return None
    return exp.Column(this=key.this.copy(), table=branch.name.copy())


def only_relation(query: exp.Expr) -> exp.Expr | None:
    """Returns the relation x of `SELECT * FROM x`; None for any other query."""
    if not isinstance(query, exp.Select):
        return None
    given = {name for name, value in query.args.items() if value not in (None, False, [])}
    stars = query.expressions
    if given != {"expressions", "from_"} or len(stars) != 1 or type(stars[0]) is not exp.Star:
        return None
    source: exp.Expr = query.args["from_"].this
    return source


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


def _in_plain(node: exp.Expr, cogroup: CoGroup) -> exp.Expr:
    """Returns an expression over keys and aggregates in plain SQL."""
    names = [name.name.lower() for name in cogroup.names]

    def rewrite(item: exp.Expr) -> exp.Expr | None:
        if isinstance(item, exp.Column) and not item.table and item.name.lower() in names:
            return cogroup.key(names.index(item.name.lower()))
        return _restricted(item, cogroup) if _is_aggregate(item, cogroup) else None

    return _rewritten(node, rewrite)


def _restricted(unit: exp.Expr, cogroup: CoGroup) -> exp.Expr:
    """Returns an aggregate that looks at the rows of its branch only."""
    names = [name.name.lower() for name in cogroup.names]
    columns = list(unit.find_all(exp.Column))
    branches = {id(found): found for column in columns if (found := _of(column, cogroup))}
    for column in columns:
        if not column.table and column.name.lower() in names:
            column.replace(cogroup.key(names.index(column.name.lower())))
    if _skips_nulls(unit) or not columns:
        return unit
    if len(branches) != 1:
        if len(branches) > 1 or any(
            not column.table and column.name.lower() not in names for column in columns
        ):
            cogroup.no_plain.append("an aggregate of no single branch")
        return unit
    test = next(iter(branches.values())).presence()
    inner = unit.this if isinstance(unit, exp.Filter) else unit
    if isinstance(unit, exp.Filter):
        own = unit.expression.this
        test = exp.And(this=test, expression=exp.Paren(this=own))
    if isinstance(inner, exp.Count) and isinstance(inner.this, exp.Column) and inner.this.is_star:
        inner = exp.Count(this=exp.Star(), big_int=True)
    return exp.Filter(this=inner, expression=exp.Where(this=test))


def _from_plain(node: exp.Expr, cogroup: CoGroup) -> exp.Expr:
    """Returns an expression in plain SQL as it stands in the clause."""
    keys = cogroup.key_expressions()

    def rewrite(item: exp.Expr) -> exp.Expr | None:
        if isinstance(item, exp.Coalesce) and item in keys:
            return exp.Column(this=cogroup.names[keys.index(item)].copy())
        if isinstance(item, exp.Filter):
            return _unrestricted(item, cogroup)
        return None

    return _rewritten(node, rewrite)


def _unrestricted(unit: exp.Filter, cogroup: CoGroup) -> exp.Expr | None:
    test = unit.expression.this
    own = test.expression if isinstance(test, exp.And) else None
    presence = test.this if isinstance(own, exp.Paren) else test
    branch = next((each for each in cogroup.branches if each.presence() == presence), None)
    if branch is None:
        return None
    inner: exp.Expr = unit.this
    if isinstance(inner, exp.Count) and isinstance(inner.this, exp.Star):
        inner = exp.Count(this=exp.Column(this=exp.Star(), table=branch.name.copy()), big_int=True)
    else:
        inner = _from_plain(inner, cogroup)
    if isinstance(own, exp.Paren):
        return exp.Filter(this=inner, expression=exp.Where(this=_from_plain(own.this, cogroup)))
    return inner


def _rewritten(node: exp.Expr, rewrite: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """Returns a tree with the topmost nodes replaced that `rewrite` replaces."""
    found = rewrite(node)
    if found is not None:
        return found
    if isinstance(node, exp.Query):
        return node
    for child in list(node.iter_expressions()):
        again = _rewritten(child, rewrite)
        if again is not child:
            child.replace(again)
    return node


def _is_aggregate(node: exp.Expr, cogroup: CoGroup) -> bool:
    """Returns whether a node is an aggregate with all that belongs to it, such as its FILTER.

    A function that sqlglot does not know is one if it takes columns of a branch as they are.
    """
    while isinstance(node, (exp.Filter, *_AROUND_AGGREGATE)):
        node = node.this
    if isinstance(node, exp.AggFunc):
        return True
    if not isinstance(node, exp.Anonymous) or node.find(exp.AggFunc):
        return False
    return any(_of(column, cogroup) for column in node.find_all(exp.Column))


def _skips_nulls(unit: exp.Expr) -> bool:
    """Returns whether the rows of other branches, which are NULLs, change nothing."""
    if not isinstance(unit, _SKIP_NULLS):
        return False
    inside = unit.this.expressions if isinstance(unit.this, exp.Distinct) else [unit.this]
    return all(isinstance(item, exp.Column) and not item.is_star for item in inside)


def _of(column: exp.Column, cogroup: CoGroup) -> Branch | None:
    """Returns the branch that qualifies a column, or None."""
    qualifiers = [part.name.lower() for part in column.parts[:-1]][:2]
    return next(
        (branch for branch in cogroup.branches if branch.name.name.lower() in qualifiers), None
    )
