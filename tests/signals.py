"""Signals of processes that tests start."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_PROGRAM = """
import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def by_default(command: Sequence[str]) -> list[str]:
    """Returns a command line by which each signal ends the program, unless it handles it.

    Where the tests run in the background of a shell, their processes ignore SIGINT.
    """
    return [sys.executable, "-c", _PROGRAM, *command]
