"""The physical plan of a query as records, which pictures draw."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from eddyline.plans import readable
from eddyline.rowtext import size_text, visible

_LABELS = {
    "EXCHANGE": "Exchange",
    "REPLICA": "replica",
    "REUSED": "reused Exchange",
    "SAVED": "saved",
    "STATE": "state store",
}
# the folder of the state, which differs between two runs, and who asked for an Exchange
_LEFT_OUT = re.compile(
    r",? *(?:state info \[.*?\]|ENSURE_REQUIREMENTS|REQUIRED_BY_STATEFUL_OPERATOR)"
)


@dataclass(frozen=True)
class PlanNode:
    """An operator of a plan, or an Exchange that a clause has saved.

    Attributes:
        id: its number in the plan, from 0.
        parent: number of the operator that reads its rows; None for the root.
        kind: OPERATOR, EXCHANGE, REUSED, SAVED (an Exchange that is not there), REPLICA or STATE.
        name: name of the operator.
        text: its arguments, as EXPLAIN shows them.
        note: what else there is to say, such as the clause that has saved an Exchange.
        rows: rows that it passed on; None before the run, or if nothing counts them.
        bytes: size of these rows, in bytes.
        held_rows: rows in the replica or the state.
        held_bytes: memory of the replica or the state, in bytes.
    """

    id: int
    parent: int | None
    kind: str
    name: str
    text: str = ""
    note: str | None = None
    rows: int | None = None
    bytes: int | None = None
    held_rows: int | None = None
    held_bytes: int | None = None

    @property
    def label(self) -> str:
        """What the kind of the node is called, and what it holds.

        >>> PlanNode(0, None, "REPLICA", "GlobalLookup", note="hit", held_rows=3).label
        'replica, hit: 3 rows'
        >>> PlanNode(0, None, "SAVED", "Exchange", note="by ASSUME").label
        'saved by ASSUME'
        """
        if self.kind == "SAVED":
            return f"{_LABELS[self.kind]} {self.note}"
        parts = (_LABELS.get(self.kind) if self.kind != "EXCHANGE" else None, self.note)
        head = ", ".join(filter(None, parts))
        held = _counts(self.held_rows, self.held_bytes)
        return ": ".join(filter(None, (head, held)))

    @property
    def moved(self) -> str:
        """The rows that it passed on, and their size; empty if they are not known.

        >>> PlanNode(0, None, "EXCHANGE", "Exchange", rows=1200, bytes=2048).moved
        '1,200 rows, 2.0 KiB'
        """
        return _counts(self.rows, self.bytes)


def _counts(rows: int | None, size: int | None) -> str:
    parts = []
    if rows is not None:
        parts.append("1 row" if rows == 1 else f"{rows:,} rows")
    if size is not None:
        parts.append(size_text(size))
    return ", ".join(parts)


def plan_nodes(text: str) -> list[PlanNode]:
    """Returns the nodes of a plan, the root first, without what differs between two runs.

    Args:
        text: a JSON array of objects with the fields of `PlanNode`, in camel case.
    """
    return [
        PlanNode(
            node["id"],
            node["parent"],
            node["kind"],
            node["name"],
            _argument(node["text"]),
            node["note"],
            node["rows"],
            node["bytes"],
            node["heldRows"],
            node["heldBytes"],
        )
        for node in json.loads(text)
    ]


def _argument(text: str) -> str:
    r"""Returns the arguments of an operator as a picture shows them, in one line.

    >>> _argument("hashpartitioning(k#1L, 4), ENSURE_REQUIREMENTS, [plan_id=7]")
    'hashpartitioning(k, 4)'
    >>> _argument("keys=[k#1], state info [ checkpoint = file:/a, opId = 0], Append")
    'keys=[k], Append'
    """
    return visible(_LEFT_OUT.sub("", readable(text)).replace("\n", " ")).strip(" ,")
