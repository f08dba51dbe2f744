"""The parts of a COGROUP, and of the queries and relations around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp


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
        return is_not_null(self.keys[0])


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
        results: the names of the aggregates and what they stand for in plain SQL.
        too_long: the names, in lower case, of those that stand for too much to be written out.
    """

    branches: list[Branch]
    names: list[exp.Identifier]
    aggregates: list[exp.Expr]
    having: exp.Expr | None = None
    required: int = 0
    no_plain: list[str] = field(default_factory=list)
    results: list[tuple[exp.Identifier, exp.Expr]] = field(default_factory=list)
    too_long: set[str] = field(default_factory=set)

    def unnamed(self) -> list[Branch]:
        """Returns the branches of which nobody has typed a name."""
        numbered = enumerate(self.branches, 1)
        return [branch for number, branch in numbered if branch.name.name == f"branch_{number}"]

    def keys(self) -> list[exp.Expr]:
        """Returns the expressions of the keys over all branches."""
        columns = zip(*(branch.keys for branch in self.branches), strict=True)
        return [
            exp.Coalesce(this=first.copy(), expressions=[each.copy() for each in others])
            for first, *others in columns
        ]

    def key_of(self, column: exp.Column) -> exp.Expr | None:
        """Returns the key over all branches that a column, or a field in it, names; else None."""
        first, *fields = column.parts
        names = [name.name.lower() for name in self.names]
        if self.branch_of(column) is not None or first.name.lower() not in names:
            return None
        key = self.keys()[names.index(first.name.lower())]
        return exp.Dot.build([key, *(each.copy() for each in fields)]) if fields else key

    def branch_of(self, column: exp.Column) -> Branch | None:
        """Returns the branch that qualifies a column, or None."""
        qualifiers = [part.name.lower() for part in column.parts[:-1]]
        named = {branch.name.name.lower(): branch for branch in reversed(self.branches)}
        return next((named[name] for name in qualifiers if name in named), None)


def is_not_null(value: exp.Expr) -> exp.Expr:
    """Returns the condition that a value is not NULL."""
    return value.is_(exp.null()).not_(copy=False)


def name_of(relation: exp.Expr) -> exp.Identifier:
    """Returns the name of a relation: its alias, also that of its PIVOT, or its table's name."""
    pivots = relation.args.get("pivots") or []
    for node in [relation, *reversed(pivots)]:
        alias = node.args.get("alias")
        if isinstance(alias, exp.TableAlias) and isinstance(alias.this, exp.Identifier):
            return alias.this
    own = relation.this if isinstance(relation, exp.Table) else None
    return own if isinstance(own, exp.Identifier) else exp.Identifier(this="")


def only_relation(query: exp.Expr) -> exp.Expr | None:
    """Returns the relation x of `SELECT * FROM x`; None for any other query."""
    if not isinstance(query, exp.Select):
        return None
    given = {name for name, value in query.args.items() if value}
    stars = query.expressions
    if given != {"expressions", "from_"} or len(stars) != 1 or type(stars[0]) is not exp.Star:
        return None
    source: exp.Expr = query.args["from_"].this
    return source
