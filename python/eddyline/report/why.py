"""The report of `eddyline.why`: what became of each clause of a query."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard, overload

from eddyline.errors import EddylineError
from eddyline.jvm import (
    active,
    clauses_of,
    clauses_of_stream,
    is_classic,
    is_classic_query,
    plan_of,
    plan_of_stream,
)
from eddyline.report.entry import Entry
from eddyline.report.picture import draw, page
from eddyline.report.plan import PlanNode, plan_nodes
from eddyline.rowtext import html_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from rich.table import Table

_PARTS = {
    "claims": "ASSUME",
    "cogroups": "COGROUP",
    "emits": "EMIT",
    "global_tables": "GLOBAL TABLE",
    "state": "STATE",
    "exchanges": "EXCHANGE",
    "fallbacks": "FALLBACK",
    "native": "NATIVE",
    "batches": "MICRO-BATCH",
}
_COLUMNS = ("part", "subject", "outcome", "reason", "details")
_NOTHING = "No clause of eddyline and no Exchange."


class Why(Sequence[Entry]):
    """What became of each clause of a query: a sequence of records.

    `print` shows a line for each record, a notebook and `rich.print` a table. The attributes hold
    the records of one kind.

    Attributes:
        claims: one record for each effect of each claim.
        cogroups: each COGROUP with the strategy that was chosen.
        emits: the clause EMIT.
        global_tables: each global table that is read, with its version.
        state: each stateful operator of a stream.
        exchanges: each Exchange, saved or kept.
        fallbacks: what a clause offers and the query does not get.
        native: the operators that a native engine runs, and those that it leaves to Spark.
        batches: the micro-batches of a streaming query.
    """

    claims: list[Entry]
    cogroups: list[Entry]
    emits: list[Entry]
    global_tables: list[Entry]
    state: list[Entry]
    exchanges: list[Entry]
    fallbacks: list[Entry]
    native: list[Entry]
    batches: list[Entry]

    def __init__(self, entries: Iterable[Entry], plan: Callable[[bool], str] | None = None) -> None:
        self._entries = tuple(entries)
        self._plan = plan
        for name, part in _PARTS.items():
            setattr(self, name, [entry for entry in self._entries if entry.part == part])

    def svg(self, *, stock: bool = False) -> str:
        """Returns the physical plan as an SVG picture.

        Exchanges that clauses have saved are struck out, and replicas of global tables and state
        stores are marked. After a run the edges have the rows and bytes that it moved.

        Args:
            stock: whether the plan that Spark makes without claims and EMIT stands beside it; it is
                planned and not run. A global table that Spark would broadcast stays a lookup.

        Raises:
            EddylineError: EDDYLINE_REPORT.NO_PLAN if the report is not one of a classic session,
                or the streaming query has not planned a micro-batch yet;
                EDDYLINE_ENVIRONMENT.LAYOUT_MISSING without `eddyline[picture]`.
        """
        plans = [("with eddyline", False)] + [("stock Spark", True)] * stock
        return draw([(heading, self._nodes(is_stock)) for heading, is_stock in plans])

    def html(self, *, stock: bool = False) -> str:
        """Returns a page with the picture and the records, which needs no other file.

        Args:
            stock: as for `svg`.

        Raises:
            EddylineError: as from `svg`.
        """
        return page(self.svg(stock=stock), self._repr_html_())

    def _nodes(self, stock: bool) -> list[PlanNode]:
        if self._plan is None:
            raise EddylineError("EDDYLINE_REPORT.NO_PLAN", reason="no classic session has made it")
        nodes = plan_nodes(self._plan(stock))
        if not nodes:
            raise EddylineError(
                "EDDYLINE_REPORT.NO_PLAN", reason="the query has not planned a micro-batch yet"
            )
        return nodes

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...

    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Why) and self._entries == other._entries

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Why({list(self._entries)!r})"

    def __str__(self) -> str:
        """Returns one line for each record.

        >>> print(Why([Entry("EMIT", "EMIT ON CHANGE", "USED")]))
        EMIT ON CHANGE: USED
        """
        return "\n".join(map(str, self._entries)) or _NOTHING

    def __rich__(self) -> Table:
        from rich.markup import escape as plain  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415

        table = Table(*_COLUMNS)
        for entry in self._entries:
            table.add_row(*map(plain, _cells(entry)))
        return table

    def _repr_html_(self) -> str:
        if not self._entries:
            return f"<p>{_NOTHING}</p>"
        return html_table(_COLUMNS, map(_cells, self._entries))


def _cells(entry: Entry) -> tuple[str, ...]:
    facts = ", ".join(f"{name}={value}" for name, value in entry.facts().items())
    return entry.part, entry.subject, entry.outcome, entry.reason or "", facts


def why(query: DataFrame | StreamingQuery | str, spark: SparkSession | None = None) -> Why:
    """Reports what became of each clause of a query.

    For a DataFrame of a classic session that has been executed, the report is about the executed
    plan, with what it counted; otherwise about the plan that would run. Spark Connect keeps no plan
    for a DataFrame, so there it is always about the plan that would run.

    For a streaming query, running or ended, it is about the plan of its last micro-batch, and has a
    record for each micro-batch that Spark remembers. Spark Connect knows a query that a program
    started while it runs.

    Args:
        query: a DataFrame or a StreamingQuery, of a classic session or of Spark Connect; or the
            name of a query of START STREAMING QUERY.
        spark: the session that looks a streaming query up; the active one if it is not given.

    Returns:
        The records, which are the rows of EXPLAIN CLAUSES.

    Raises:
        AnalysisException: EDDYLINE_ASSUME.NOT_USED if `spark.eddyline.assume.strict` is set, not
            over Spark Connect; EDDYLINE_STREAMING_QUERY.NOT_FOUND if no query has the name.
    """
    spark = query.sparkSession if _is_frame(query) else active(spark)
    entries = (
        Entry(row.part, row.subject, row.outcome, row.reason, json.loads(row.details))
        for row in _rows(query, spark)
    )
    return Why(entries, _plan(query, spark))


def _is_frame(query: object) -> TypeGuard[DataFrame]:
    return not isinstance(query, str) and hasattr(query, "sparkSession")


def _rows(query: Any, spark: SparkSession) -> list[Any]:
    if _is_frame(query):
        if is_classic(spark):
            return clauses_of(query)
        return list(spark.sql("EXPLAIN CLAUSES SELECT * FROM {frame}", frame=query).collect())
    if is_classic_query(query):
        return clauses_of_stream(query, spark)
    name = query if isinstance(query, str) else query.id
    quoted = name.replace("`", "``")
    return spark.sql(f"EXPLAIN CLAUSES STREAMING QUERY `{quoted}`").collect()


def _plan(query: Any, spark: SparkSession) -> Callable[[bool], str] | None:
    """Returns what gives the plan as it is when it is drawn; None over Spark Connect."""
    if not is_classic(spark):
        return None
    return partial(plan_of, query) if _is_frame(query) else partial(plan_of_stream, query, spark)
