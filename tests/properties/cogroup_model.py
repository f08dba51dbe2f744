"""The model of a COGROUP, which can be written as our clause and as DuckDB's FULL OUTER JOINs.

Texts are templates: `{b}` is a branch's name, `{0}` an expression's first piece, `{k[0]}` the
first key, `{c[0]}` the first column after the keys.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

# The type that every type of a family is widened to.
WIDEST = {
    "integral": "BIGINT",
    "decimal": "DECIMAL(24, 4)",
    "floating": "DOUBLE",
    "string": "STRING",
    "date": "DATE",
    "boolean": "BOOLEAN",
}


@dataclass(frozen=True)
class Table:
    """A table, whose values are texts that are cast to the column's type.

    Attributes:
        parts: the number of row sets that the table is a UNION ALL of.
    """

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str | None, ...], ...]
    partitioned: bool = False
    parts: int = 1

    def create(self) -> str:
        """Returns SQL that both engines read."""
        parts = [self._part(self.rows[i :: self.parts]) for i in range(self.parts)]
        return f"CREATE OR REPLACE TEMPORARY VIEW {self.name} AS {' UNION ALL '.join(parts)}"

    def _part(self, rows: tuple[tuple[str | None, ...], ...]) -> str:
        """Returns a query of some rows; DuckDB reads the hint as a comment."""
        types = [kind for _, kind in self.columns]
        values = ",\n  ".join(
            "(" + ", ".join(map(literal, row, types)) + ")"
            for row in rows or [(None,) * len(types)]
        )
        names = ", ".join(name for name, _ in self.columns)
        hint = "/*+ REPARTITION(2) */ " if self.partitioned else ""
        return (
            f"SELECT {hint}* FROM (VALUES\n"
            f"  {values}) AS t({names}) WHERE {'true' if rows else 'false'}"
        )


@dataclass(frozen=True)
class Key:
    """A key column of a branch, an expression over it (of `{0}`) and its name, if given by AS."""

    column: str
    expression: str = "{0}"
    name: str | None = None


@dataclass(frozen=True)
class Branch:
    """A branch, with its relation as typed in `spark`; without BY its keys are those of USING."""

    table: str
    name: str
    spark: str
    keys: tuple[Key, ...]
    where: str | None = None
    by: bool = True


@dataclass(frozen=True)
class Piece:
    """An aggregate of one branch, or of all if `branch` is None; `empty` is its value for no row.

    `{k[0]}` in its text is the first key, in DuckDB the branch's own expression for it.
    """

    branch: int | None
    spark: str
    duckdb: str
    empty: str = "NULL"


@dataclass(frozen=True)
class Expression:
    """An expression over aggregates, keys and, in HAVING, earlier columns."""

    template: str
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class CoGroup:
    """A whole statement; `presence` is the number of branches that a key must be in."""

    tables: tuple[Table, ...]
    families: tuple[str, ...]
    branches: tuple[Branch, ...]
    columns: tuple[Expression, ...]
    presence: int = 0
    having: Expression | None = None
    outer: Expression | None = None
    order: tuple[str, ...] = ()
    limit: int | None = None

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Prints statements to paste, when hypothesis reports a failed property."""
        statements = [table.create() for table in self.tables] + [self.spark(), self.duckdb()]
        printer.text(";\n".join(statements))

    def key_names(self) -> list[str]:
        """Returns the names of the keys: those given by AS, else of the first branch's columns."""
        columns = zip(*(branch.keys for branch in self.branches), strict=True)
        return [next((key.name for key in keys if key.name), keys[0].column) for keys in columns]

    def spark(self) -> str:
        """Returns the statement as our clause."""
        keys = [f"`{name}`" for name in self.key_names()]
        names = [f"c{i}" for i in range(len(self.columns))]

        def write(expression: Expression) -> str:
            pieces = [
                piece.spark.format(
                    b="" if piece.branch is None else self.branches[piece.branch].name, k=keys
                )
                for piece in expression.pieces
            ]
            return expression.template.format(*pieces, k=keys, c=names)

        items = [
            f"{write(column)} AS {name}" for column, name in zip(self.columns, names, strict=True)
        ]
        sql = f"COGROUP {self._branches()}\nAGGREGATE {', '.join(items)}"
        sql += self._having(write)
        if self.outer:
            sql = f"SELECT * FROM (\n{sql}\n) AS q WHERE {write(self.outer)}"
        return sql + self._tail(keys, names)

    def _branches(self) -> str:
        texts = []
        for branch in self.branches:
            where = f" WHERE {branch.where.format(b=branch.name)}" if branch.where else ""
            keys = [
                key.expression.format(f"{branch.name}.{key.column}")
                + (f" AS `{key.name}`" if key.name else "")
                for key in branch.keys
            ]
            by = f" BY {keys[0]}" if len(keys) == 1 else f" BY ({', '.join(keys)})"
            texts.append(branch.spark + where + (by if branch.by else ""))
        using = next((branch.keys for branch in self.branches if not branch.by), ())
        names = ", ".join(key.column for key in using)
        return ",\n        ".join(texts) + (f"\nUSING ({names})" if using else "")

    def _having(self, write: Any) -> str:
        conditions = []
        if self.presence == len(self.branches):
            conditions.append("EVERY BRANCH")
        elif self.presence:
            conditions.append(f"AT LEAST {self.presence} BRANCHES")
        if self.having:
            conditions.append(write(self.having))
        return "\nHAVING " + " AND ".join(conditions) if conditions else ""

    def _tail(self, keys: list[str], names: list[str]) -> str:
        order = ", ".join(self.order).format(k=keys, c=names)
        limit = f" LIMIT {self.limit}" if self.limit is not None else ""
        return (f"\nORDER BY {order}" if order else "") + limit

    def duckdb(self) -> str:
        """Returns the statement as a chain of FULL OUTER JOINs of one aggregate a branch."""
        keys = [f"k{i}" for i in range(len(self.families))]
        found: list[Piece] = []
        asked = [*self.columns, *filter(None, (self.having, self.outer))]
        for expression in asked:
            found += [piece for piece in expression.pieces if piece not in found]
        ctes = [self._branch(i, found) for i in range(len(self.branches))]
        for i in range(1, len(self.branches)):
            on = " AND ".join(f"l.{key} = r.{key}" for key in keys)
            both = ", ".join(f"coalesce(l.{key}, r.{key}) AS {key}" for key in keys)
            rest = f"* EXCLUDE ({', '.join(keys)})"
            left = f"j{i - 1}" if i > 1 else "b0"
            ctes.append(
                f"j{i} AS (SELECT {both}, l.{rest}, r.{rest} "
                f"FROM {left} AS l FULL OUTER JOIN b{i} AS r ON {on})"
            )
        counts = [f"coalesce(n{i}, 0)" for i in range(len(self.branches))]

        def write(expression: Expression) -> str:
            pieces = [
                f"({' + '.join(counts)})"
                if piece.branch is None
                else f"coalesce(p{found.index(piece)}, {piece.empty})"
                for piece in expression.pieces
            ]
            return "(" + expression.template.format(*pieces, k=keys, c=columns) + ")"

        columns: list[str] = []
        for column in self.columns:
            columns.append(write(column))
        present = " + ".join(f"CAST({count} > 0 AS INT)" for count in counts)
        conditions = [f"{present} >= {self.presence}"]
        conditions += [write(each) for each in (self.having, self.outer) if each]
        ordinals = [str(i + 1) for i in range(len(keys) + len(columns))]
        return (
            "WITH "
            + ",\n".join(ctes)
            + f"\nSELECT {', '.join([*keys, *columns])} FROM j{len(self.branches) - 1}"
            + f"\nWHERE {' AND '.join(conditions)}"
            + self._tail(ordinals[: len(keys)], ordinals[len(keys) :])
        )

    def _branch(self, index: int, pieces: list[Piece]) -> str:
        branch = self.branches[index]
        keys = [
            f"CAST({key.expression.format(f'CAST({branch.name}.{key.column} AS {WIDEST[family]})')}"
            f" AS {WIDEST[family]})"
            for key, family in zip(branch.keys, self.families, strict=True)
        ]
        items = [f"{key} AS k{i}" for i, key in enumerate(keys)]
        items.append(f"count(*) AS n{index}")
        items += [
            f"{piece.duckdb.format(b=branch.name, k=keys)} AS p{i}"
            for i, piece in enumerate(pieces)
            if piece.branch == index
        ]
        conditions = [f"{key} IS NOT NULL" for key in keys]
        if branch.where:
            conditions.append(f"({branch.where.format(b=branch.name)})")
        groups = ", ".join(str(i + 1) for i in range(len(keys)))
        return (
            f"b{index} AS (SELECT {', '.join(items)} FROM {branch.table} AS {branch.name} "
            f"WHERE {' AND '.join(conditions)} GROUP BY {groups})"
        )


def literal(value: str | None, kind: str) -> str:
    """Returns a value in SQL."""
    return f"CAST({'NULL' if value is None else repr(value)} AS {kind})"


def normalise(rows: Iterable[Iterable[Any]], *, ordered: bool) -> list[tuple[str, ...]]:
    """Returns rows as texts of kind and value, without widths of types and scales of decimals."""
    texts = [tuple(map(_normal, row)) for row in rows]
    return texts if ordered else sorted(texts)


def _normal(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_normal, value))}]"
    if isinstance(value, Decimal):
        return f"decimal {value.normalize() + 0:f}"
    if isinstance(value, float):
        return f"float {value + 0.0!r}"
    assert value is None or isinstance(value, (bool, int, str, datetime.date)), type(value)
    return f"{type(value).__name__} {value}"
