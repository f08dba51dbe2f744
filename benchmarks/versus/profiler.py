"""Stacks of a JVM by CPU time, from async-profiler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INTERVAL = 10  # CPU ms between samples; Linux takes them no more often


@contextmanager
def profiled(spark: SparkSession, folder: str, phase: str) -> Iterator[None]:
    """Writes the stacks of all threads of the JVM, its own included, to a file of a folder.

    Args:
        spark: a session, which has async-profiler's jar.
        folder: the folder; empty to write nothing.
        phase: the name of what is done meanwhile.
    """
    if not folder:
        yield
        return
    jvm: Any = spark._jvm
    profiler = jvm.one.profiler.AsyncProfiler.getInstance()
    profiler.execute(f"start,event=ctimer,interval={_INTERVAL}ms,threads")
    yield
    profiler.execute(f"stop,collapsed,threads,file={_file(Path(folder), phase)}")


def stacks(folder: Path, phase: str) -> Iterator[tuple[list[str], float]]:
    """Returns the stacks of a phase, a thread's name first, with CPU seconds."""
    for line in _file(folder, phase).read_text().splitlines():
        frames, _, samples = line.rpartition(" ")
        yield frames.split(";"), int(samples) * _INTERVAL / 1e3


def _file(folder: Path, phase: str) -> Path:
    return folder / f"{phase}.stacks"
