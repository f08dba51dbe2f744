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
class UnsupportedInOtherDialects:
    """Items of a list that no generator can print, because a clause has no plain SQL.

    The dialect that prints a tree is chosen after the tree was made, and knows nothing of clauses.
    Classes of compiled sqlglot cannot be subclassed, so there is neither a node nor a generator of
    ours that could call `unsupported`. But a generator iterates over the items of a list to print
    them, and iterating over these raises the error. `eddyline` removes them before it prints.

    Attributes:
        clause: the name of the clause.
        always: whether `eddyline` cannot print the node either.
    """

    clause: str
    always: bool = False

    def __iter__(self) -> Iterator[exp.Expr]:
        error = EddylineError("EDDYLINE_DIALECT.NO_PLAIN_SQL", clause=self.clause)
        raise UnsupportedError(str(error))


def refuse_other_dialects(node: exp.Expr, clause: str, *, always: bool = False) -> None:
    """Lets every other dialect refuse to print the node, if none of its clauses does so yet.

    Args:
        node: the node.
        clause: the clause that has no plain SQL.
        always: whether `eddyline` is to refuse it, too.
    """
    if isinstance(node, exp.Create):  # T-SQL prints nothing of it but its table and query
        node = node.this.find(exp.Table) or node
    if refusal(node) is None:
        node.set(_printed(node), exp.Tags(expressions=UnsupportedInOtherDialects(clause, always)))


def allow_other_dialects(node: exp.Expr) -> None:
    """Takes back what `refuse_other_dialects` did."""
    if refusal(node) is not None:
        node.set(_printed(node), None)


def refusal(node: exp.Expr) -> UnsupportedInOtherDialects | None:
    """Returns what makes other dialects refuse to print the node; None if they do not."""
    tags = node.args.get(_printed(node))
    found = tags.args["expressions"] if isinstance(tags, exp.Tags) else None
    return found if isinstance(found, UnsupportedInOtherDialects) else None


def _printed(node: exp.Expr) -> str:
    return next((name for kind, name in _PRINTED if isinstance(node, kind)), "")


def mark(node: exp.Expr, name: str, *arguments: exp.Expr) -> None:
    """Marks a node with one more clause, outside those that it has."""
    node.append("settings", exp.Anonymous(this=name, expressions=list(arguments)))


def unmark(node: exp.Expr, name: str) -> None:
    """Takes the marks of a clause off a node."""
    if any(call.name == name for call in marks(node)):
        node.set("settings", [each for each in node.args["settings"] if each.name != name])


def prevent_merge(query: exp.Expr) -> None:
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
