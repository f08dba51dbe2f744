"""The parts of a COGROUP, and the names of relations."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp


class NotInTreeError(Exception):
    """A clause at a place for which sqlglot has no tree."""


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
        results: the names of the aggregates and what they stand for in plain SQL.
    """

    branches: list[Branch]
    names: list[exp.Identifier]
    aggregates: list[exp.Expr]
    having: exp.Expr | None = None
    required: int = 0
    no_plain: list[str] = field(default_factory=list)
    results: list[tuple[exp.Identifier, exp.Expr]] = field(default_factory=list)

    def key(self, position: int) -> exp.Expr:
        """Returns the expression of a key over all branches."""
        columns = [branch.keys[position].copy() for branch in self.branches]
        return exp.Coalesce(this=columns[0], expressions=columns[1:])

    def key_expressions(self) -> list[exp.Expr]:
        """Returns the expressions of all keys."""
        return [self.key(position) for position in range(len(self.names))]


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
    given = {name for name, value in query.args.items() if value not in (None, False, [])}
    stars = query.expressions
    if given != {"expressions", "from_"} or len(stars) != 1 or type(stars[0]) is not exp.Star:
        return None
    source: exp.Expr = query.args["from_"].this
    return source
