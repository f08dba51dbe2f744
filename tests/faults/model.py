"""The oracle of the fault tests: what EMIT ON CHANGE must emit, in a few lines of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence

Event = tuple[int, int | None, int]
Row = tuple[int, int | None, int]

_AGGREGATE = "SELECT k, max(v) AS m, sum(w) AS s FROM STREAM {table} GROUP BY k EMIT ON CHANGE"
QUERIES = {
    "aggregate": _AGGREGATE,
    "aggregate by key": f"{_AGGREGATE} KEY (k)",
    "rows by key": "SELECT k, v, w FROM STREAM {table} EMIT ON CHANGE KEY (k)",
}


def events(chance: random.Random, number: int) -> list[Event]:
    """Returns file `number` of (k, v, w): few keys and values, so most events change nothing.

    The sum shows a batch that was applied twice, the maximum one that was lost; the last event
    always changes its key's result, so that every batch has a row to emit.
    """
    some = [
        (chance.randrange(6), chance.choice((None, 0, 1, 2, 3)), chance.choice((0, 0, 0, 1)))
        for _ in range(chance.randint(2, 5))
    ]
    return [*some, (chance.randrange(6), None, 2 + number)]


def aggregated(rows: dict[int, Row], event: Event) -> Row:
    """Returns the key's maximum and sum after the event."""
    key, value, weight = event
    _, top, total = rows.get(key, (key, None, 0))
    known = [one for one in (top, value) if one is not None]
    return (key, max(known, default=None), total + weight)


def emitted(query: str, batches: Sequence[Sequence[Event]]) -> tuple[list[list[Row]], list[Row]]:
    """Returns what each batch emits, and the last result of every key, which is the state."""
    emissions = []
    rows: dict[int, Row] = {}
    for batch in batches:
        before = dict(rows)
        changes = []
        for event in batch:
            row = event if query == "rows by key" else aggregated(rows, event)
            if rows.get(row[0]) != row:
                changes.append(row)
            rows[row[0]] = row
        if query != "rows by key":
            changes = [row for key, row in rows.items() if before.get(key) != row]
        emissions.append(changes)
    return emissions, sorted(rows.values(), key=lambda row: row[0])
