"""Random queries with the options of EMIT ON CHANGE, and a model of what they emit.

The model reads the time and the watermark of each micro-batch from the checkpoint, so it says
exactly which rows a heartbeat repeats and which keys expire, however long a run takes.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

Row = tuple[Any, ...]
EPOCH = datetime(1970, 1, 1)
AMOUNTS: dict[str, list[tuple[str, Any]]] = {
    "v": [("0", 0), ("1", 1), ("1.5", 1.5), ("2", 2), ("1e3", 1000)],
    "d": [("0", 0), ("0.5", 0.5), (".75", 0.75), ("3", 3)],
    "e": [("0.5", Decimal("0.5")), ("0.51", Decimal("0.51"))],
    "at": [("5 SECONDS", timedelta(seconds=5)), ("'1 minute'", timedelta(minutes=1))],
}
# numbers take part in a tolerance without columns
NUMBERS = ("v", "d", "e")
ITEMS = {
    "v": "v",
    "d": "d + 0D AS d",  # ties of 0.0 and -0.0 have no order
    "e": "CAST(v AS DECIMAL(9, 1)) / 2 AS e",
    "s": "s",
    "at": "ts AS at",
}
GROUPS = {
    "v": "max(v) AS v",
    "d": "avg(d) AS d",
    "e": "CAST(sum(v) AS DECIMAL(9, 1)) / 2 AS e",
    "s": "max(s) AS s",
    "at": "max(ts) AS at",
}


@dataclass(frozen=True)
class OptionQuery:
    """A query with options, and what the model needs to know of it.

    Attributes:
        sql: the query.
        oracle: the query without EMIT; after the columns it has the order value and the event time.
        mode: the output mode of the oracle.
        names: names of the columns.
        keys: indices of the keys.
        compared: indices of the columns that decide.
        tolerances: amount by index of the column.
        ordered: whether KEY has an ORDER BY.
        expiry: the age of EXPIRE AFTER.
        heartbeat: the interval of HEARTBEAT.
        typed: WITH CHANGE TYPE, with BEFORE or without; None without the option.
    """

    sql: str
    oracle: str
    mode: str
    names: tuple[str, ...]
    keys: tuple[int, ...]
    compared: tuple[int, ...]
    tolerances: Mapping[int, Any]
    ordered: bool
    expiry: timedelta | None
    heartbeat: timedelta | None
    typed: str | None = None


def random_query(seed: str) -> OptionQuery:
    """Returns a query with at least one option."""
    random = Random(seed)
    kind = random.choice(["rows", "rows", "groups", "windows"])
    names = random.sample(list(ITEMS), random.randint(1, len(ITEMS)))
    keys = ["k"] if kind == "windows" else random.choice([["k"], ["k", "j"]])
    expires = kind != "groups" and random.random() < 0.4
    ordered = kind == "windows" or (kind == "rows" and random.random() < 0.5)
    columns = [*keys, *names]
    texts = [*keys, *((ITEMS if kind == "rows" else GROUPS)[name] for name in names)]
    source, by, at = "t", "", "CAST(NULL AS TIMESTAMP)"
    if expires:
        source = "w"
    if kind == "windows":
        source, by, at = "w", f" GROUP BY window(ts, '10 seconds'), {', '.join(keys)}", "window.end"
        columns, texts = [*columns, "window"], [*texts, "window"]
    elif kind == "groups":
        by = f" GROUP BY {', '.join(keys)}"
    elif expires:
        columns, texts, at = [*columns, "ts"], [*texts, "ts"], "ts"
    order = "NULL"
    if ordered:
        inner = [name for name in names if name in ("v", "at")] or keys[:1]
        order = "window.end" if kind == "windows" else random.choice(["k % 2", *inner])
    ignored = [name for name in ("window", "ts") if name in columns]
    compared, clause = names, f" EXCEPT ({', '.join(ignored)})" if ignored else ""
    if random.random() < 0.4:
        compared = random.sample(names, random.randint(1, len(names)))
        clause = f" OF ({', '.join(compared)})"
    options, tolerances = "", {}
    if random.random() < 0.7:
        options, tolerances = _tolerance(random, compared)
    heartbeat = None
    if random.random() < 0.5 or not (options or ordered or expires):
        heartbeat = random.choice([timedelta(milliseconds=n) for n in (1, 300, 1000, 10**9)])
        options += f" HEARTBEAT {int(heartbeat / timedelta(milliseconds=1))} MILLISECONDS"
    expiry = timedelta(seconds=random.choice([2, 8, 20])) if expires else None
    key = f" KEY ({', '.join(keys)})"
    if kind == "groups" and heartbeat and random.random() < 0.5:
        key = ""
    if ordered:
        key += f" ORDER BY {order}"
    if expiry:
        key += f" EXPIRE AFTER {expiry.seconds} SECONDS"
    listed = f"SELECT {', '.join(texts)} FROM {source}{by}"
    hidden = "ts" if order == "at" else order
    typed = random.choice([None, None, "WITH CHANGE TYPE", "WITH CHANGE TYPE BEFORE"])
    return OptionQuery(
        sql=f"{listed} EMIT ON CHANGE{clause}{key}{options} {typed or ''}",
        oracle=f"SELECT {', '.join([*texts, f'{hidden} AS o', f'{at} AS t'])} FROM {source}{by}",
        mode="update" if by else "append",
        names=tuple(columns),
        keys=tuple(range(len(keys))),
        compared=tuple(columns.index(name) for name in compared),
        tolerances={columns.index(name): amount for name, amount in tolerances.items()},
        ordered=ordered,
        expiry=expiry,
        heartbeat=heartbeat,
        typed=typed,
    )


def _tolerance(random: Random, compared: list[str]) -> tuple[str, dict[str, Any]]:
    fitting = [name for name in compared if name in AMOUNTS]
    numbers = [name for name in fitting if name in NUMBERS]
    if numbers and random.random() < 0.4:
        text, amount = random.choice(AMOUNTS["e"])
        return f" TOLERANCE {text}", dict.fromkeys(numbers, amount)
    if not fitting:
        return "", {}
    chosen = {
        name: random.choice(AMOUNTS[name])
        for name in random.sample(fitting, random.randint(1, len(fitting)))
    }
    listed = ", ".join(f"{name} {text}" for name, (text, _) in chosen.items())
    return f" TOLERANCE ({listed})", {name: amount for name, (_, amount) in chosen.items()}


@dataclass
class Emission:
    """What a micro-batch emits and counts."""

    query: OptionQuery
    rows: list[Row] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def insert(self, row: Row) -> None:
        self._add(row, "insert")

    def update(self, before: Row, row: Row) -> None:
        if (self.query.typed or "").endswith("BEFORE"):
            self._add(before, "update_preimage")
        self._add(row, "update_postimage")

    def delete(self, row: Row) -> None:
        if self.query.typed:
            self.counts["numDeletesEmitted"] += 1
            self._add(row, "delete")

    def _add(self, row: Row, change: str) -> None:
        self.rows.append((*row, change) if self.query.typed else row)


@dataclass
class Kept:
    """The state of a key."""

    row: Row
    order: Any
    time: datetime
    emitted: datetime


@dataclass(frozen=True)
class Logged:
    """What the offset log has of a micro-batch: its time and watermark, in UTC, and offsets."""

    time: datetime
    watermark: datetime
    offsets: str


def emissions(
    query: OptionQuery, rows: Mapping[int, list[Row]], oracle: Path, checkpoint: Path
) -> dict[int, Emission]:
    """Returns what the query emits in each micro-batch.

    Args:
        query: the query.
        rows: the rows of the oracle by the number of the micro-batch.
        oracle: the checkpoint of the oracle, whose micro-batches without data may be others.
        checkpoint: the checkpoint of the query.
    """
    read = {logged.offsets: rows[number] for number, logged in reversed(batches(oracle).items())}
    kept: dict[str, Kept] = {}
    found = {}
    late = EPOCH
    for number, logged in batches(checkpoint).items():
        found[number] = micro_batch(query, read.pop(logged.offsets, []), kept, logged, late)
        late = logged.watermark
    assert not read, "both have read all files"
    return found


def batches(checkpoint: Path) -> dict[int, Logged]:
    """Returns the micro-batches of a checkpoint by their numbers."""

    def utc(ms: int) -> datetime:
        return datetime.fromtimestamp(ms / 1000, UTC).replace(tzinfo=None)

    def logged(log: Path) -> Logged:
        _, metadata, *offsets = log.read_text().splitlines()
        of_batch = json.loads(metadata)
        times = utc(of_batch["batchTimestampMs"]), utc(of_batch["batchWatermarkMs"])
        return Logged(*times, "".join(offsets))

    logs = sorted((checkpoint / "offsets").glob("[0-9]*"), key=lambda log: int(log.name))
    return {int(log.name): logged(log) for log in logs}


def micro_batch(
    query: OptionQuery, rows: Iterable[Row], kept: dict[str, Kept], logged: Logged, late: datetime
) -> Emission:
    """Returns what a micro-batch emits, and updates the state.

    Args:
        query: the query.
        rows: the rows of the oracle.
        kept: the state by key.
        logged: the time and the watermark.
        late: the watermark of the micro-batch before, by which rows are too late.
    """
    found = Emission(query)
    now, watermark = logged.time, logged.watermark
    if query.ordered:
        rows = sorted(rows, key=lambda row: [ordering(row[-2]), *map(ordering, row[:-2])])
    for *columns, order, event_time in rows:
        row, time = tuple(columns), event_time or watermark
        if query.expiry and time <= late - query.expiry:
            continue
        key = str([row[index] for index in query.keys])
        state = kept.get(key)
        if state is None:
            kept[key] = Kept(row, order, time, now)
            found.insert(row)
            continue
        state.time = max(state.time, time)
        if query.ordered and ordering(order) < ordering(state.order):
            found.counts["numOutOfOrderRows"] += 1
            continue
        state.order = order
        differs = any(_differs(query, index, state.row, row) for index in query.compared)
        if differs or _is_due(query, state, now):
            found.counts["numHeartbeats"] += not differs
            found.update(state.row, row)
            state.row, state.emitted = row, now
        else:
            found.counts["numIdempotentUpdatesDropped"] += 1
            other = any(not _same(state.row[i], row[i]) for i in query.tolerances)
            found.counts["numToleratedUpdates"] += other
    for key, state in list(kept.items()):
        if query.expiry and state.time <= watermark - query.expiry:
            del kept[key]
            found.counts["numExpiredKeys"] += 1
            found.delete(state.row)
        elif _is_due(query, state, now):
            found.update(state.row, state.row)
            found.counts["numHeartbeats"] += 1
            state.emitted = now
    return found


def _is_due(query: OptionQuery, state: Kept, now: datetime) -> bool:
    return query.heartbeat is not None and now - state.emitted >= query.heartbeat


def _differs(query: OptionQuery, index: int, before: Row, after: Row) -> bool:
    """Whether a column has changed; without a tolerance by what it prints, as 0.0 is not -0.0."""
    left, right = before[index], after[index]
    if index not in query.tolerances:
        return str(left) != str(right)
    if _same(left, right):
        return False
    if left is None or right is None:
        return True
    difference, amount = abs(left - right), query.tolerances[index]
    return not difference < (float(amount) if isinstance(difference, float) else amount)


def _same(left: Any, right: Any) -> bool:
    nan = [isinstance(value, float) and math.isnan(value) for value in (left, right)]
    return bool(all(nan) or left == right)


def ordering(value: Any) -> tuple[int, Any]:
    """Returns a key by which Spark sorts: NULL first, NaN after all numbers."""
    if value is None:
        return (0, 0)
    if isinstance(value, float) and math.isnan(value):
        return (2, 0)
    return (1, tuple(map(ordering, value)) if isinstance(value, tuple) else value)
