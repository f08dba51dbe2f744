"""What pages show of the results of `benchmarks/backlog.py` and others: tables and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any

from bars import Bar, bars
from growth import growth_table, points_table
from measured import measured_table, result_table
from pages import ROOT
from tables import table

RESULTS = ROOT / "benchmarks/results"
JOBS = ("cogroup", "star", "change")


def backlog_table(job: str) -> str:
    """Returns a row for each engine and number of events."""
    head = (
        "events of a topic",
        "engine",
        "events per CPU second",
        "CPU s",
        "with start",
        "broker",
        "wall s",
        "memory MB",
        "state MB",
        "results",
    )
    return table(head, *(_cells(row) for row in _rows(job)))


def backlog_picture(job: str) -> str:
    """Returns the bars of a job."""
    groups = [
        (f"{events:,} events of a topic", [_bar(row) for row in rows])
        for events, rows in groupby(_rows(job), lambda row: row["events"])
    ]
    return bars(f"Events per CPU second: {job}", groups)


def notes(name: str) -> str:
    """Returns a list of where and how a result was measured."""
    result = json.loads((RESULTS / f"{name}.json").read_text())
    return "\n".join(f"- {note}" for note in (result["machine"], *result["notes"]))


def _rows(job: str) -> list[dict[str, Any]]:
    rows = json.loads((RESULTS / "backlog.json").read_text())["rows"]
    return [row for row in rows if row["job"] == job]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    rate = f"{row['events/CPU s']:,} ({row['least']:,} to {row['most']:,})"
    rest = ("CPU s", "from start", "broker", "wall s", "memory MB", "state MB")
    figures = (_figure(row[name]) for name in rest)
    return (f"{row['events']:,}", row["way"], rate, *figures, f"{row['results']:,}")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _bar(row: dict[str, Any]) -> Bar:
    ours = row["way"].startswith("eddyline")
    return Bar(row["way"], row["events/CPU s"], row["least"], row["most"], ours)


_PAGE = "docs/performance.md"
# the parts of pages that `make update-docs` writes
PARTS: dict[str, tuple[str, Callable[[], str]]] = {
    "machine": (_PAGE, partial(notes, "backlog")),
    **{f"backlog {job}": (_PAGE, partial(backlog_table, job)) for job in JOBS},
    **{
        name: (_PAGE, partial(result_table, name))
        for name in ("backlog_archives", "costs", "merge", "nexmark", "small", "tpch")
    },
    "measured": ("docs/README.md", measured_table),
    "scale growth": (_PAGE, growth_table),
    "scale": (_PAGE, points_table),
    "scale machine": (_PAGE, partial(notes, "scale")),
    "small notes": (_PAGE, partial(notes, "small")),
    "native": ("docs/native.md", partial(result_table, "native")),
}
