"""Processes of other programs, and what they take."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import cpu_seconds

_MEGABYTE = 1e6
_LOG_SHOWN = 2_000  # characters


@dataclass(frozen=True)
class Taken:
    """What a program took.

    Attributes:
        cpu: CPU seconds of its work, from `begin` to `end`, with those of its child processes.
        whole_cpu: CPU seconds since its process began.
        wall: seconds from `begin` to `end`.
        memory: the most memory that its processes held, in MB.
    """

    cpu: float
    whole_cpu: float
    wall: float
    memory: float


def watch(command: list[str], log: Path, **settings: Any) -> Taken:
    """Runs a program that prints the lines `begin` and `end` around its work, and waits after it.

    Args:
        command: its command line.
        log: the file for what it prints elsewhere.
        **settings: those of `subprocess.Popen`.

    Raises:
        RuntimeError: if it ends before its work does; with the end of its log.
    """
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, **settings
        )
    try:
        begun = _reached(process, b"begin", log)
        ended = _reached(process, b"end", log)
        tree = _tree(process.pid)
        memory = sum(_kilobytes(pid) for pid in tree) * 1024 / _MEGABYTE
        process.communicate(b"\n")
    finally:
        process.kill()
        process.wait()
    return Taken(ended[0] - begun[0], ended[0], ended[1] - begun[1], round(memory))


def folder_megabytes(folder: Path) -> float:
    """Returns the size of all files below a folder, in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / _MEGABYTE


def _reached(process: subprocess.Popen[bytes], word: bytes, log: Path) -> tuple[float, float]:
    """Waits for a line; returns the CPU seconds so far, and the time."""
    for line in process.stdout or ():
        if line.strip() == word:
            return tree_cpu_seconds(process.pid), time.perf_counter()
    tail = log.read_text("utf-8", "replace")[-_LOG_SHOWN:]
    raise RuntimeError(f"{process.args!r} ended before it printed {word!r}:\n{tail}")


def tree_cpu_seconds(pid: int) -> float:
    """Returns the CPU seconds so far of a process and of all that descend from it and live."""
    total = 0.0
    for each in _tree(pid):
        with suppress(OSError):  # a process that has ended meanwhile
            total += cpu_seconds(each)
    return total


def _tree(pid: int) -> list[int]:
    """Returns a process and all that descend from it."""
    children: list[int] = []
    tasks: list[Path] = []
    with suppress(FileNotFoundError):  # a process that has ended meanwhile
        tasks += Path(f"/proc/{pid}/task").iterdir()
    for task in tasks:
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
            children += map(int, (task / "children").read_text().split())
    return [pid, *(below for child in children for below in _tree(child))]


def _kilobytes(pid: int) -> int:
    """Returns the most memory that a process held, 0 for one that has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
    return 0
