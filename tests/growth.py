"""What `docs/performance.md` shows of the results of `benchmarks/scale.py`."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

from lines import Panel, lines
from pages import ROOT
from tables import table

RESULT = ROOT / "benchmarks/results/scale.json"

Rows = list[dict[str, Any]]


def growth_table() -> str:
    """Returns a row for each series: sizes, exponents, and what a unit costs at the largest."""
    head = (
        "what grows",
        "from",
        "to",
        "exponent",
        "plain Spark",
        "at the end",
        "plain Spark",
        "of",
    )
    rows = [head]
    for name, found in _series():
        last = found[-1]
        sizes = (f"{found[0]['size']:,}", f"{last['size']:,}")
        exponents = (_number(last["exponent"]), _number(last["plain exponent"]))
        costs = (_duration(last["us"]), _duration(last["plain us"]))
        rows.append((name, *sizes, *exponents, *costs, last["of"]))
    return table(*rows)


def growth_picture() -> str:
    """Returns the cost of a unit, then the bytes of one, along each series."""
    cost = [
        Panel(
            name,
            f"us {found[0]['of']}; exponent {_exponents(found[-1])}",
            _places(found, "us"),
            _places(found, "plain us"),
        )
        for name, found in _series()
    ]
    memory = [
        Panel(name, f"bytes: {found[0]['bytes of']}", _places(found, "bytes"), [])
        for name, found in _series()
        if found[0]["bytes of"]
    ]
    title = "Cost of a unit by size: eddyline (solid) and plain Spark (dashed)"
    return lines(title, [*cost, *memory])


def _series() -> list[tuple[str, Rows]]:
    rows = json.loads(RESULT.read_text())["rows"]
    return [(name, list(found)) for name, found in groupby(rows, lambda row: row["series"])]


def _places(rows: Rows, column: str) -> list[tuple[float, float]]:
    return [(row["size"], row[column]) for row in rows if row[column]]


def _exponents(row: dict[str, Any]) -> str:
    plain = row["plain exponent"]
    return f"{row['exponent']}" + ("" if plain is None else f", Spark {plain}")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,}"


def _duration(microseconds: float | None) -> str:
    """Returns a time in the unit that suits it."""
    if microseconds is None:
        return ""
    for factor, unit in ((1e6, "s"), (1e3, "ms")):
        if microseconds >= factor:
            return f"{microseconds / factor:.3g} {unit}"
    return f"{microseconds:.3g} us"
