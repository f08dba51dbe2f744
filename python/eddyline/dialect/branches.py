"""Reads the branches, keys and condition of a COGROUP from the call that the lowering writes."""

from __future__ import annotations

from sqlglot import exp

from eddyline.dialect.marks import BY, argument, keep_apart
from eddyline.dialect.parts import Branch, CoGroup, name_of, only_relation, split_condition

_KEY = "__eddyline_key_"
_USING = "__eddyline_using"
_NAMES = "__eddyline_key_names"


def read_call(call: exp.Anonymous, select: exp.Select) -> CoGroup:
    """Returns the parts that a call of the placeholder and the SELECT around it hold."""
    branches: list[Branch] = []
    typed: list[list[exp.Expr]] = []
    for item in call.expressions:
        if item.name == BY:
            typed[-1] = item.expression.expressions
        elif item.name not in (_USING, _NAMES):
            query = item.expression.expressions[0]
            branches.append(Branch(exp.to_identifier(item.name), query, []))
            typed.append([])
    using = _listed(call, _USING)
    first = typed[0] or using
    found = CoGroup(branches, _key_names(first, _listed(call, _NAMES)), select.expressions)
    for branch, keys in zip(branches, typed, strict=True):
        _name_source(branch, keys or [column.copy() for column in using])
    if any(_is_window(key, "session_window") for key in first):
        found.no_plain.append("session_window")
    if having := select.args.get("having"):
        _read_having(found, having.this)
    return found


def _listed(call: exp.Anonymous, name: str) -> list[exp.Expr]:
    """Returns the items of an argument that is a list; none if the call has no such argument."""
    found = argument(call, name)
    return [] if found is None else found.expressions


def _read_having(cogroup: CoGroup, condition: exp.Expr) -> None:
    """Reads the condition after HAVING, which may begin with that on the branches."""
    test, own = split_condition(condition)
    columns = {column.name for column in test.find_all(exp.Column)}
    if isinstance(test, exp.GTE) and "__eddyline_branch" in columns:
        cogroup.required, cogroup.having = int(test.expression.name), own
    else:
        cogroup.having = condition


def _key_names(keys: list[exp.Expr], given: list[exp.Expr]) -> list[exp.Identifier]:
    """Returns the names of the keys: as given, else as Spark names them."""
    names = [name.name if name.is_string else "" for name in given]
    names += [""] * (len(keys) - len(names))
    return [
        exp.to_identifier(name) if name else default_name(key)
        for key, name in zip(keys, names, strict=False)
    ]


def default_name(key: exp.Expr) -> exp.Identifier:
    """Returns the name of a key that has none: its column or field, else its text."""
    if isinstance(key, exp.Column) and isinstance(key.this, exp.Identifier):
        return key.this.copy()
    if isinstance(key, exp.Dot):
        return exp.to_identifier(key.name)
    is_window = _is_window(key, "window", "session_window")
    return exp.to_identifier((key.name if is_window else key.sql("spark")).lower())


def _is_window(key: exp.Expr, *names: str) -> bool:
    return isinstance(key, exp.Anonymous) and key.name.lower() in names


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
            keep_apart(relation.this)
        branch.source = relation
        return
    query.set("expressions", [*query.expressions, *computed])
    # above the full join, a key of this branch would be evaluated for the rows of the others
    keep_apart(query)
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


def typed_branch(
    branch: Branch, *, named: bool
) -> tuple[exp.Expr, exp.Expr | None, dict[str, exp.Expr]]:
    """Returns the relation of a branch as typed, its WHERE, and by name the computed keys.

    Args:
        branch: the branch.
        named: whether its name is that of the relation.
    """
    source, query = branch.source, branch.source.this
    if not isinstance(source, exp.Subquery) or not _selects_from_one(query):
        return source, None, {}
    relation = query.args["from_"].this
    keys = [item for item in query.expressions if item.alias.startswith(_KEY)]
    others = [item for item in query.expressions if item not in keys]
    is_star = len(others) == 1 and type(others[0]) is exp.Star
    if not is_star or (named and source.alias.lower() != name_of(relation).name.lower()):
        return source, None, {}
    return relation, query.args.get("where"), {item.alias: item.this for item in keys}


def _selects_from_one(query: exp.Expr) -> bool:
    """Returns whether a query is a SELECT of one relation, perhaps with a WHERE."""
    parts = {name for name, value in query.args.items() if value}
    is_simple = {"from_"} <= parts <= {"expressions", "from_", "settings", "where"}
    return isinstance(query, exp.Select) and is_simple
