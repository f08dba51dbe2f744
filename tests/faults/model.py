"""The oracle of the fault tests: what EMIT ON CHANGE must emit, in a few lines of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from properties.emit_options import EPOCH, Kept, OptionQuery, batches, micro_batch

Event = tuple[int, int | None, int]
Row = tuple[int, int | None, int]

_AGGREGATE = "SELECT k, max(v) AS m, sum(w) AS s FROM STREAM {table} GROUP BY k EMIT ON CHANGE"
_ROWS = "SELECT k, v, w FROM STREAM {table} EMIT ON CHANGE KEY (k)"
_TIMED = (
    "SELECT k, v, w FROM (SELECT k, v, w, ts FROM STREAM {table} "
    "WATERMARK timestamp_seconds(10 * w) AS ts DELAY OF INTERVAL 0 SECONDS "
    "EMIT ON CHANGE EXCEPT (ts) KEY (k)"
)
_AGE, _BEAT = timedelta(seconds=15), timedelta(milliseconds=300)


def _options(
    sql: str,
    *,
    tolerance: int = 0,
    ordered: bool = False,
    expiry: timedelta | None = None,
    heartbeat: timedelta | None = None,
) -> OptionQuery:
    """Returns a query with options; its order value is w, and its event time 10 w seconds."""
    amounts = {1: tolerance} if tolerance else {}
    columns = ("k", "v", "w")
    return OptionQuery(sql, "", "", columns, (0,), (1, 2), amounts, ordered, expiry, heartbeat)


OPTIONS = {
    "tolerance": _options(f"{_ROWS} TOLERANCE (v 2)", tolerance=2),
    "order": _options(f"{_ROWS} ORDER BY w", ordered=True),
    "expiry": _options(f"{_TIMED} EXPIRE AFTER 15 SECONDS)", expiry=_AGE),
    "heartbeat": _options(f"{_ROWS} HEARTBEAT 300 MILLISECONDS", heartbeat=_BEAT),
    "all options": _options(
        f"{_TIMED} ORDER BY w EXPIRE AFTER 15 SECONDS TOLERANCE (v 2) HEARTBEAT '0.3 seconds')",
        tolerance=2,
        ordered=True,
        expiry=_AGE,
        heartbeat=_BEAT,
    ),
}
QUERIES = {
    "aggregate": _AGGREGATE,
    "aggregate by key": f"{_AGGREGATE} KEY (k)",
    "rows by key": _ROWS,
    **{name: query.sql for name, query in OPTIONS.items()},
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


def emitted(
    query: str, inputs: Sequence[Sequence[Event]], checkpoint: Path
) -> tuple[list[list[Row]], list[Row]]:
    """Returns what each batch emits, and the last result of every key, which is the state."""
    if query in OPTIONS:
        return _emitted_with_options(OPTIONS[query], inputs, checkpoint)
    emissions = []
    rows: dict[int, Row] = {}
    for batch in inputs:
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


def _emitted_with_options(
    query: OptionQuery, inputs: Sequence[Sequence[Event]], checkpoint: Path
) -> tuple[list[list[Row]], list[Row]]:
    """The times of the batches are in the checkpoint, so an attempt has those of the one before."""
    kept: dict[str, Kept] = {}
    emissions, late = [], EPOCH
    for events_of_batch, logged in zip(inputs, batches(checkpoint).values(), strict=True):
        rows = [
            (*event, event[2], EPOCH + timedelta(seconds=10 * event[2]))
            for event in events_of_batch
        ]
        emissions.append(micro_batch(query, rows, kept, logged, late).rows)
        late = logged.watermark
    return emissions, sorted((one.row for one in kept.values()), key=lambda row: row[0])
