"""Marks: how a tree of sqlglot's own nodes says which clause a node had.

A mark is a call of the placeholder that the lowering writes, such as `__eddyline_emit(…)`, with
what the clause says beside its query or relation. It lies in the argument `settings` of the node,
which no generator but ClickHouse's prints and which keeps sqlglot's optimizer from merging the
query into another.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from eddyline.errors import describe

ASSUME = "__eddyline_assume"
BY = "__eddyline_by"
COGROUP = "__eddyline_cogroup"
EMIT = "__eddyline_emit"
STATEMENT = "__eddyline_statement"
STREAM = "__eddyline_stream"
WINDOW = "__eddyline_window"

NO_PLAIN_SQL = "EDDYLINE_DIALECT.NO_PLAIN_SQL"

_PRINTED: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Create, "kind"),
    (exp.Describe, "partition"),
    (exp.Insert, "hint"),
    (exp.Select, "kind"),
    (exp.Table, "when"),
)


class NoPlainSql(str):
    """The name of a clause for which no other dialect has SQL, as an argument of a node.

    A dialect of sqlglot is chosen for writing after the tree was made, and knows nothing of
    clauses. No class of compiled sqlglot can be derived from, so there is neither a node nor a
    generator of ours to call `unsupported`. A generator asks whether the argument is there before
    it prints it, and this is where the tree can refuse. `eddyline` takes it away before it prints.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        message, sqlstate = describe(NO_PLAIN_SQL, {"clause": str.__str__(self)})
        raise UnsupportedError(f"[{NO_PLAIN_SQL}] {message} SQLSTATE: {sqlstate}")


def mark(node: exp.Expr, call: exp.Anonymous) -> None:
    """Marks a node with one more clause, outside those that it has."""
    node.set("settings", [*(node.args.get("settings") or []), call])


def keep_apart(query: exp.Expr) -> None:
    """Keeps sqlglot's optimizer from merging a query into the one that reads it."""
    if isinstance(query, exp.Select):
        query.set("settings", [*(query.args.get("settings") or []), exp.Var(this="")])


def marks(node: exp.Expr) -> list[exp.Anonymous]:
    """Returns the marks of a node, the innermost clause first."""
    found = node.args.get("settings")
    if not isinstance(found, list):
        return []
    return [call for call in found if is_call(call)]


def is_call(node: object, name: str = "__eddyline_") -> bool:
    """Returns whether a node is a call of a placeholder, or of the one with the name."""
    return isinstance(node, exp.Anonymous) and node.name.lower().startswith(name)


def argument(call: exp.Anonymous, name: str) -> exp.Expr | None:
    """Returns the argument with the name, or None."""
    return next(
        (
            item.expression
            for item in call.expressions
            if isinstance(item, exp.Kwarg) and item.name == name
        ),
        None,
    )


def refuse_plain(node: exp.Expr, clause: str) -> None:
    """Lets every other dialect refuse to print the node."""
    node.args[_printed(node)] = NoPlainSql(clause)


def allow_plain(node: exp.Expr) -> None:
    """Takes back what `refuse_plain` did."""
    if isinstance(node.args.get(_printed(node)), NoPlainSql):
        del node.args[_printed(node)]


def _printed(node: exp.Expr) -> str:
    """Returns an argument of the node that a generator prints, and that Spark SQL never has."""
    return next((name for kind, name in _PRINTED if isinstance(node, kind)), "match")
