"""Waits for what another thread or process does.

No test is timed. A limit that is reached means that something hangs, not that the machine is
busy: each limit is many times as long as the slowest wait beside other work.
"""

from __future__ import annotations

import time
from collections.abc import Callable

CONDITION_HANGS = 300.0  # seconds
PROCESS_HANGS = 1200.0  # seconds; for a program that starts a JVM
_POLL = 0.05  # seconds


def eventually(condition: Callable[[], object]) -> None:
    """Waits until the condition holds."""
    deadline = time.monotonic() + CONDITION_HANGS
    while not condition():
        assert time.monotonic() < deadline, f"it did not come within {CONDITION_HANGS:.0f} s"
        time.sleep(_POLL)
