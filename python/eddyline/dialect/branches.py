"""Reads the branches, keys and condition of a COGROUP from the call that the lowering writes."""

from __future__ import annotations

from sqlglot import exp

from eddyline.dialect.marks import BY, argument, keep_apart
from eddyline.dialect.parts import Branch, CoGroup, name_of, only_relation

KEY = "__eddyline_key_"


def read_call(call: exp.Anonymous, select: exp.Select) -> CoGroup:
    """Returns the parts that a call of the placeholder and the SELECT around it hold."""
    branches: list[Branch] = []
    using: list[exp.Expr] = []
    typed: list[list[exp.Expr]] = []
    for item in call.expressions:
        if item.name == BY:
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
    branch.name = _as_named(branch.name, query)
    computed: list[exp.Expr] = []
    for position, key in enumerate(keys):
        column = _own_column(branch, key)
        if column is None:
            name = exp.to_identifier(f"{KEY}{position + 1}")
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
