"""The CPU time of a JVM, with and without its compiler."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from measure import jvm_cpu_seconds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# the JVM keeps the compiler threads that it started with
NO_MORE_COMPILERS = "-XX:-UseDynamicNumberOfCompilerThreads"


@dataclass(frozen=True)
class Cpu:
    """The CPU time of the process so far, in ms.

    Attributes:
        all: time of all its threads, including those that have ended.
        compiler: time of the JVM's compiler threads.
    """

    all: float
    compiler: float

    @classmethod
    def now(cls, spark: SparkSession) -> Cpu:
        """Returns the CPU time so far, by Linux's clocks."""
        pid = spark._jvm.java.lang.ProcessHandle.current().pid()
        spent = sum(int((task / "schedstat").read_text().split()[0]) for task in compilers(pid))
        return cls(jvm_cpu_seconds(spark) * 1e3, spent / 1e6)

    def since(self, start: Cpu) -> Cpu:
        """Returns the CPU time taken since `start`."""
        return Cpu(self.all - start.all, self.compiler - start.compiler)


@cache
def compilers(pid: int) -> list[Path]:
    """Returns the compiler threads of a JVM, which `NO_MORE_COMPILERS` keeps from ending."""
    return [task for task in Path(f"/proc/{pid}/task").iterdir() if _is_compiler(task)]


def _is_compiler(task: Path) -> bool:
    try:
        return bool(re.match("C[12] Comp", (task / "comm").read_text()))
    except FileNotFoundError:  # another thread, which has ended just now
        return False


@dataclass
class Figures:
    """The figures of one way in ms, with an item for each run.

    Attributes:
        all_cpu: CPU time of the whole process.
        cpu: CPU time without the JVM's compiler.
        wall: time from the start to the end.
    """

    all_cpu: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def add(self, cpu: Cpu, wall: float) -> None:
        """Adds another run."""
        self.all_cpu.append(cpu.all)
        self.cpu.append(cpu.all - cpu.compiler)
        self.wall.append(wall)

    def warmed(self) -> Figures:
        """Returns the figures without the first run."""
        return Figures(self.all_cpu[1:], self.cpu[1:], self.wall[1:])


def timed(spark: SparkSession, into: Figures, body: Callable[[], object]) -> None:
    """Runs `body` and appends its figures."""
    spark._jvm.System.gc()
    cpu, start = Cpu.now(spark), time.perf_counter()
    body()
    wall = (time.perf_counter() - start) * 1000
    into.add(Cpu.now(spark).since(cpu), wall)
