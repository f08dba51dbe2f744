"""The oracle of the fault tests: what EMIT ON CHANGE must emit, in a few lines of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from properties.emit_options import EPOCH, Kept, OptionQuery, batches, micro_batch

Event = tuple[int, int | None, int]
Row = tuple[int, int | None, int]
Typed = tuple[int, int | None, int, str]

_AGGREGATE = "SELECT k, max(v) AS m, sum(w) AS s FROM STREAM {table} GROUP BY k EMIT ON CHANGE"
# a key with the value 3 leaves the result until its sum is 2
_LEAVING = _AGGREGATE.replace("EMIT", "HAVING max(v) < 3 OR max(v) IS NULL OR sum(w) >= 2 EMIT")
_ROWS = "SELECT k, v, w FROM STREAM {table} EMIT ON CHANGE KEY (k)"
_TIMED = (
    "SELECT k, v, w FROM (SELECT k, v, w, ts FROM STREAM {table} "
    "WATERMARK timestamp_seconds(10 * w) AS ts DELAY OF INTERVAL 0 SECONDS "
    "EMIT ON CHANGE EXCEPT (ts) KEY (k)"
)
# the time of an event is 10 w seconds, and no session closes
_SESSIONS = (
    "SELECT k, m, s FROM (SELECT k, session_window, max(v) AS m, sum(w) AS s FROM STREAM {table} "
    "WATERMARK timestamp_seconds(10 * w) AS ts DELAY OF INTERVAL 1 DAY "
    "GROUP BY k, session_window(ts, '15 seconds')) EMIT ON CHANGE WITH CHANGE TYPE"
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
    "leaving HAVING": f"{_LEAVING} WITH CHANGE TYPE",
    "deleted by key": f"{_ROWS} APPLY AS DELETE WHEN v = 0 WITH CHANGE TYPE BEFORE",
    "sessions": _SESSIONS,
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
) -> tuple[Sequence[Sequence[Row | Typed]], list[Row]]:
    """Returns what each batch emits, and the last result of every key, which is the state."""
    if query in OPTIONS:
        return _emitted_with_options(OPTIONS[query], inputs, checkpoint)
    if query in ("leaving HAVING", "deleted by key"):
        return _changes(query, inputs)
    if query == "sessions":
        return _sessions(inputs)
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
    return emissions, list(rows.values())


def _changes(query: str, inputs: Sequence[Sequence[Event]]) -> tuple[list[list[Typed]], list[Row]]:
    rows: dict[int, Row] = {}
    emissions = []
    for batch in inputs:
        before = dict(rows)
        changes: list[Typed] = []
        for event in batch:
            if query == "leaving HAVING":
                rows[event[0]] = aggregated(rows, event)
                continue
            old, new = rows.pop(event[0], None), None if event[1] == 0 else event
            changes += _change(old, new, with_before=True)
            if new:
                rows[event[0]] = new
        if query == "leaving HAVING":
            for key in {event[0] for event in batch}:
                old, new = _shown(before.get(key)), _shown(rows[key])
                changes += _change(old, new, with_before=False)
        emissions.append(changes)
    return emissions, list(rows.values())


def _sessions(inputs: Sequence[Sequence[Event]]) -> tuple[list[list[Typed]], list[Row]]:
    """The window of a session is what identifies it: one that grows is another one."""
    rows: dict[tuple[int, int, int], Row] = {}
    emissions = []
    events_so_far: list[Event] = []
    for batch in inputs:
        events_so_far += batch
        before, rows = rows, _sessions_of(events_so_far)
        windows = {*before, *rows}
        changes = [_change(before.get(w), rows.get(w), with_before=False) for w in windows]
        emissions.append([change for some in changes for change in some])
    return emissions, list(rows.values())


def _sessions_of(some: Sequence[Event]) -> dict[tuple[int, int, int], Row]:
    """Returns the result of each session: a key, and values of w that rise by one at most."""
    sessions: list[list[Event]] = []
    for event in sorted(some, key=lambda event: (event[0], event[2])):
        last = sessions[-1][-1] if sessions else None
        if last and last[0] == event[0] and event[2] - last[2] <= 1:
            sessions[-1].append(event)
        else:
            sessions.append([event])
    found = {}
    for events_of_session in sessions:
        key = events_of_session[0][0]
        results: dict[int, Row] = {}
        for event in events_of_session:
            results[key] = aggregated(results, event)
        found[key, events_of_session[0][2], events_of_session[-1][2]] = results[key]
    return found


def _shown(row: Row | None) -> Row | None:
    """Returns a row that HAVING lets through."""
    return row if row and (row[1] != 3 or row[2] >= 2) else None


def _change(old: Row | None, new: Row | None, *, with_before: bool) -> list[Typed]:
    """Returns the changes by which a row becomes another; None is no row."""
    if old == new:
        return []
    if old and new:
        images: list[Typed] = [(*old, "update_preimage")] if with_before else []
        return [*images, (*new, "update_postimage")]
    return [(*new, "insert")] if new else [(*row, "delete") for row in [old] if row]


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
    return emissions, [one.row for one in kept.values()]
