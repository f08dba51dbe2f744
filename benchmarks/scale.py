"""Benchmark of growth: rows, keys, branches, global tables, queries and executors.

    python benchmarks/scale.py [--only SERIES] [--toy]

Each series lets one thing grow and is measured by a JVM of its own. The clauses and what is written
without them take turns, and their rows are compared. The figures are those of the warm run with the
least CPU, of which a run of more than 30 seconds has one. The exponent of growth is the slope of
log CPU over log size: 1 if twice the size takes twice the CPU, 0 if it takes no more.

A series is kept when it is done, so that one that fails does not take the others with it. The
results are written when all have been measured, in one run or in several.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from measure import DATA, report
from scaling import cogroups, emits, lookups, servers
from scaling.meter import HEAP
from scaling.points import Point, table

SERIES: dict[str, Callable[..., list[Point]]] = {
    "rows": cogroups.by_rows,
    "keys": cogroups.by_keys,
    "branches": cogroups.by_branches,
    "executors": cogroups.by_executors,
    "state": emits.by_keys,
    "dimension": lookups.by_rows,
    "tables": lookups.by_tables,
    "queries": servers.by_queries,
}
KEPT = DATA / "scale"


def measured(name: str, *, toy: bool) -> list[dict[str, Any]]:
    """Returns the rows of a series, which a new process with a new JVM measures."""
    start = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        rows = table(pool.submit(partial(SERIES[name], toy=toy)).result())
    print(f"{name}: {(time.monotonic() - start) / 60:.1f} minutes", flush=True)
    if not toy:
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{name}.json").write_text(json.dumps(rows))
    return rows


def main() -> None:
    """Measures the series and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=SERIES, nargs="+", help="the series, else all")
    parser.add_argument("--toy", action="store_true", help="small sizes")
    given = parser.parse_args()
    rows = [row for name in given.only or SERIES for row in measured(name, toy=given.toy)]
    files = [KEPT / f"{name}.json" for name in SERIES]
    is_whole = not given.toy and all(file.exists() for file in files)
    if is_whole:
        rows = [row for file in files for row in json.loads(file.read_text())]
    report(
        "scale",
        "What grows, and how fast the cost does",
        rows,
        [
            f"local[2], heap {HEAP}; two executors of one core and 1 GiB each where these grow",
            "CPU of the JVM, its sidecar and its executors",
            "us: microseconds of CPU of a row or the like, of wall time for executors",
            "exponent: slope of log CPU (wall time for executors) over log size, of all sizes",
            "plain: UNION ALL and GROUP BY, Update mode, the BROADCAST hint; batch rows are equal",
        ],
        keep=is_whole,
        width=200,
    )


if __name__ == "__main__":
    main()
