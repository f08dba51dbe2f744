"""What pages show of the results of `benchmarks/backlog.py` and others: tables and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any

from bars import Bar, bars
from growth import growth_table
from measured import measured_table, paired_table, result_table
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
    """Returns a list of where and how a result was measured, and of the aims that it missed."""
    result = json.loads((RESULTS / f"{name}.json").read_text())
    found = (note for note in result["notes"] if ": aim met: " not in note)
    return "\n".join(f"- {note}" for note in (result["machine"], *found))


def small_table() -> str:
    """Returns a row for each job and what was measured of it, with both ways beside each other."""
    shown = {
        "CPU ms": "{0[CPU ms]:,} ({0[CPU from to]})",
        "ms": "{0[ms]:,} ({0[from to]})",
    }
    return paired_table("small", ("what", "job"), "way", shown)


def merge_table() -> str:
    """Returns a row for each way, with the shares of rows that stay the same beside each other."""
    shown = {"CPU s": "{0[CPU s]}", "wall s": "{0[wall s]}", "rows updated": "{0[rows updated]:,}"}
    return paired_table("merge", ("way",), "same", shown)


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
    **{name: (_PAGE, partial(result_table, name)) for name in ("nexmark", "tpch")},
    "merge": (_PAGE, merge_table),
    "small": (_PAGE, small_table),
    "measured": ("docs/README.md", measured_table),
    "scale growth": (_PAGE, growth_table),
    "scale machine": (_PAGE, partial(notes, "scale")),
    "small notes": (_PAGE, partial(notes, "small")),
    "native": ("docs/native.md", partial(result_table, "native")),
}
