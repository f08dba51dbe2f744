"""Draws how rows flow through each clause, beside plain Spark: `docs/pictures/flow-*.svg`.

They are drawn like the pictures of plans that `eddyline why --svg` makes. `make update-docs` writes
them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from eddyline.report.picture import draw
from eddyline.report.plan import PlanNode

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Step:
    """A step on the way of rows.

    Attributes:
        name: what it is called.
        text: what it does, or what it reads.
        inputs: the steps whose rows it reads.
        kind: what marks it; see `PlanNode.kind`.
        rows: how many rows it passes on; None if that does not matter.
        note: what is said of the mark, such as the clause that has saved an Exchange.
    """

    name: str
    text: str = ""
    inputs: tuple[Step, ...] = field(default=())
    kind: str = "OPERATOR"
    rows: int | None = None
    note: str | None = None

    def nodes(self) -> list[PlanNode]:
        """Returns it and what it reads, as nodes of a picture, itself first."""
        return list(self._nodes(count(), None))

    def _nodes(self, ids: Iterator[int], parent: int | None) -> Iterator[PlanNode]:
        own = next(ids)
        yield PlanNode(own, parent, self.kind, self.name, self.text, self.note, self.rows)
        for step in self.inputs:
            yield from step._nodes(ids, own)


def exchange(text: str, *inputs: Step, rows: int | None = None) -> Step:
    """Returns a shuffle by a key, or a broadcast."""
    return Step("Exchange", text, inputs, "EXCHANGE", rows)


def aggregate(text: str, *inputs: Step, rows: int | None = None) -> Step:
    """Returns an aggregation, which has a state store in a stream."""
    return Step("Aggregate", text, inputs, "STATE", rows)


def one_aggregate(table: str) -> Step:
    """Returns the aggregate of one table, after a shuffle of its own."""
    return aggregate(f"of {table}", exchange("by customer", Step("Scan", table)))


TABLES = ("clicked", "ordered", "returned")
FLOWS = {
    "start": {
        "plain Spark: 4 shuffles, 3 stores": Step(
            "OUTER JOIN",
            "",
            (
                exchange(
                    "by coalesce",
                    Step("OUTER JOIN", "", (one_aggregate("clicked"), one_aggregate("ordered"))),
                ),
                one_aggregate("returned"),
            ),
        ),
        "COGROUP: 1 shuffle, 1 store": aggregate(
            "of all three",
            exchange("by customer", Step("Union", "", (Step("Scan", ", ".join(TABLES)),))),
        ),
    },
    "cogroup": {
        "COGROUP": Step(
            "One row a key",
            "HAVING",
            (
                aggregate(
                    "of each branch",
                    exchange(
                        "by the key",
                        Step(
                            "Union",
                            "says its branch",
                            tuple(
                                Step("Branch", "WHERE, BY", (Step("Scan", table),))
                                for table in TABLES
                            ),
                        ),
                    ),
                ),
            ),
        ),
    },
    "emit": {
        "EMIT ON UPDATE": Step(
            "Sink",
            "each key that had a row",
            (aggregate("max by key", exchange("by key", Step("Scan", "stream"), rows=9), rows=4),),
        ),
        "EMIT ON CHANGE": Step(
            "Sink",
            "each key with a new result",
            (
                Step(
                    "EmitOnChange",
                    "result now and before",
                    (
                        aggregate(
                            "max by key", exchange("by key", Step("Scan", "stream"), rows=9), rows=4
                        ),
                    ),
                    rows=1,
                ),
            ),
        ),
    },
    "globaltable": {
        "join with a table": Step(
            "Join",
            "",
            (
                Step("Scan orders", "stream"),
                exchange("in each batch", Step("Scan products", "of the start")),
            ),
        ),
        "join with a global table": Step(
            "GlobalLookup",
            "products@7",
            (
                Step("Scan orders", "stream"),
                Step("Refresh", "every 10 s", (Step("Scan products", "what is new"),)),
            ),
            "REPLICA",
        ),
    },
    "streamingquery": {
        "START: until the driver ends": Step(
            "INSERT INTO",
            "a table or topic",
            (Step("Query", "in this driver", (Step("Scan", "STREAM t"),), "STATE"),),
        ),
        "CREATE: started again": Step(
            "INSERT INTO",
            "a table or topic",
            (
                Step(
                    "Query",
                    "on one server at a time",
                    (Step("Scan", "STREAM t"), Step("Definition", "a file of all servers")),
                    "STATE",
                ),
            ),
        ),
    },
    "assume": {
        "plain Spark": Step(
            "Aggregate",
            "by day",
            (exchange("by day", Step("Aggregate", "by day, partial", (Step("Scan", "files"),))),),
        ),
        "ASSUME PARTITIONED BY (day)": Step(
            "Aggregate",
            "by day",
            (
                Step(
                    "Exchange",
                    "by day",
                    (
                        Step(
                            "Check",
                            "no day is in two units",
                            (Step("Scan", "a unit is one task's"),),
                        ),
                    ),
                    "SAVED",
                    note="by ASSUME",
                ),
            ),
        ),
    },
}


def picture(name: str) -> str:
    """Returns a picture as an SVG document.

    Args:
        name: its name in `FLOWS`.
    """
    svg = draw([(heading, step.nodes()) for heading, step in FLOWS[name].items()])
    return svg.replace("Physical plan: ", "Flow of rows: ", 1)
