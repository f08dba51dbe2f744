"""The queries of TPC-H, `benchmarks/tpch.py`: their subqueries, views and joins over clauses."""

from __future__ import annotations

import subprocess
import sys

from tiers import ROOT
from waiting import PROCESS_HANGS


def test_all_queries_give_the_rows_of_plain_tables() -> None:
    done = subprocess.run(
        [sys.executable, "benchmarks/tpch.py", "--scale", "0.01", "--rounds", "0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PROCESS_HANGS,
    )
    assert done.returncode == 0, done.stderr
    names = " ".join(f"q{number}" for number in range(1, 23))
    assert f"{names} give the same rows" in done.stdout
