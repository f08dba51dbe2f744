"""Marks: how a tree of sqlglot's own nodes says which clause a node had.

A mark is a call of the placeholder that the lowering writes, such as `__eddyline_emit(…)`, with
what the clause says beside its query or relation. It lies in the argument `settings` of the node,
which no generator but ClickHouse's prints and which keeps sqlglot's optimizer from merging the
query into another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from eddyline.errors import EddylineError
from eddyline.lowering import assume, cogroup, emit

ASSUME = assume.CALL
BY = "__eddyline_by"
COGROUP = cogroup.CALL
EMIT = emit.CALL
STATEMENT = "__eddyline_statement"
STREAM = "__eddyline_stream"
WATERMARK = "__eddyline_watermark"

# an argument that every generator prints, and that Spark SQL never has
_PRINTED: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Create, "clone"),
    (exp.Describe, "partition"),
    (exp.Insert, "hint"),
    (exp.Select, "kind"),
    (exp.Table, "when"),
    (exp.Query, "match"),
)


class NotInTreeError(Exception):
    """A clause at a place for which sqlglot has no tree."""


@dataclass(frozen=True)
class NoPlainSql:
    """The items of a list that no generator can print, because a clause has no plain SQL.

    A dialect of sqlglot is chosen for writing after the tree was made, and knows nothing of
    clauses. No class of compiled sqlglot can be derived from, so there is neither a node nor a
    generator of ours to call `unsupported`. But a generator reads the items of a list to print
    them, and iterating over this list raises the error. `eddyline` takes it away before it prints.

    Attributes:
        clause: the name of the clause.
    """

    clause: str

    def __iter__(self) -> Iterator[exp.Expr]:
        error = EddylineError("EDDYLINE_DIALECT.NO_PLAIN_SQL", clause=self.clause)
        raise UnsupportedError(str(error))


def refuse_plain(node: exp.Expr, clause: str) -> None:
    """Lets every other dialect refuse to print the node."""
    if isinstance(node, exp.Create):  # T-SQL prints nothing of it but its table and query
        node = node.this.find(exp.Table) or node
    node.set(_printed(node), exp.Tags(expressions=NoPlainSql(clause)))


def allow_plain(node: exp.Expr) -> None:
    """Takes back what `refuse_plain` did."""
    if is_refused(node):
        node.set(_printed(node), None)


def is_refused(node: exp.Expr) -> bool:
    """Returns whether other dialects refuse to print the node."""
    found = node.args.get(_printed(node))
    return isinstance(found, exp.Tags) and isinstance(found.args["expressions"], NoPlainSql)


def _printed(node: exp.Expr) -> str:
    return next((name for kind, name in _PRINTED if isinstance(node, kind)), "")


def mark(node: exp.Expr, name: str, *arguments: exp.Expr) -> None:
    """Marks a node with one more clause, outside those that it has."""
    node.append("settings", exp.Anonymous(this=name, expressions=list(arguments)))


def keep_apart(query: exp.Expr) -> None:
    """Keeps sqlglot's optimizer from merging a query into the one that reads it."""
    if isinstance(query, exp.Select):
        query.append("settings", exp.Var(this=""))


def marks(node: exp.Expr) -> list[exp.Anonymous]:
    """Returns the marks of a node, the innermost clause first."""
    found = node.args.get("settings")
    return [call for call in found if is_call(call)] if isinstance(found, list) else []


def is_call(node: object, name: str = "__eddyline_") -> bool:
    """Returns whether a node is a call of a placeholder, or of the one with the name."""
    return isinstance(node, exp.Anonymous) and node.name.lower().startswith(name)


def argument(call: exp.Anonymous, name: str) -> exp.Expr | None:
    """Returns the argument with the name, or None."""
    named = [item for item in call.expressions if isinstance(item, exp.Kwarg)]
    return next((item.expression for item in named if item.name == name), None)
