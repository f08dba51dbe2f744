"""Programs of `benchmarks`, run with little data."""

from __future__ import annotations

import subprocess
import sys

from tiers import ROOT
from waiting import PROCESS_HANGS


def printed(name: str, *words: str) -> str:
    """Returns what a benchmark prints, which has to end without an error."""
    done = subprocess.run(
        [sys.executable, f"benchmarks/{name}.py", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PROCESS_HANGS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
