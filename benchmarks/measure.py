"""The parts that all benchmarks share: a session, CPU seconds, a table, a result file."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
from rich.console import Console
from rich.table import Table

from eddyline.cli.session import local_session
from eddyline.versions import OtherExtension, eddyline_version, jar_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
DATA = ROOT / "build/bench"


@dataclass(frozen=True)
class Figure:
    """CPU and wall seconds of one way to compute something."""

    cpu: float
    wall: float


def session(**conf: str) -> SparkSession:
    """Returns a session with the settings of all benchmarks."""
    defaults = {"spark.driver.memory": "3g", "spark.sql.shuffle.partitions": "4"}
    return local_session(**{**defaults, **conf})


def session_with(
    other: OtherExtension, folder: Path, module: str = "", **conf: str
) -> SparkSession:
    """Returns a session that has another extension.

    The program begins again with the Python of the Spark that the extension has a release for,
    whose environment `make .venv-spark-<minor>/.installed` makes. Maven fetches the jars.

    Args:
        other: the extension.
        folder: where its jars are kept.
        module: the option of jvm-shim/build.py that builds the jar which links to the extension.
        **conf: more settings.
    """
    if not pyspark.__version__.startswith(f"{other.spark}."):
        python = ROOT / f".venv-spark-{other.spark}/bin/python"
        os.execv(python, [str(python), *sys.argv])
    jars: list[Path] = []
    for artifact in other.jars:
        jars.append(folder / jar_name(artifact))
        if not jars[-1].exists():
            words = (f"-Dartifact={artifact}", f"-DoutputDirectory={folder}")
            subprocess.run(["mvn", "-q", "-B", "dependency:copy", *words], check=True)
    build = [sys.executable, str(ROOT / "jvm-shim/build.py")]
    build += [module, *map(str, jars)] if module else []
    built = subprocess.run(build, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    path = os.pathsep.join(map(str, [*jars, *built[1:]]))
    loaded = {"spark.driver.extraClassPath": path, "spark.sql.extensions": other.extension}
    return session(**loaded, **other.settings, **conf)


def jvm_cpu_seconds(spark: SparkSession) -> float:
    """Returns the CPU seconds that the JVM has taken so far, by Linux's clock of the process."""
    return cpu_seconds(spark._jvm.java.lang.ProcessHandle.current().pid())


def cpu_seconds(pid: int) -> float:
    """Returns the CPU seconds that a process has taken so far, by Linux's clock of the process."""
    return time.clock_gettime(~pid << 3 | 2)  # CPUCLOCK_SCHED, as clock_getcpuclockid(3) has it


def best_of(
    rounds: int, cpu: Callable[[], float], ways: Mapping[str, Callable[[], object]]
) -> dict[str, Figure]:
    """Returns the run of each way with the least CPU; the ways take turns, the first to warm up."""
    best = {name: Figure(float("inf"), float("inf")) for name in ways}
    for turn in range(rounds + 1):
        for name, body in ways.items():
            cpu_start, start = cpu(), time.perf_counter()
            body()
            figure = Figure(round(cpu() - cpu_start, 2), round(time.perf_counter() - start, 2))
            if turn and figure.cpu < best[name].cpu:
                best[name] = figure
    return best


def beside(plain: Figure, ours: Figure) -> dict[str, float]:
    """Returns the columns of a report in which a way stands beside plain Spark."""
    return {
        "plain CPU s": plain.cpu,
        "ours CPU s": ours.cpu,
        "ratio": round(ours.cpu / plain.cpu, 2),
        "plain s": plain.wall,
        "ours s": ours.wall,
    }


def shuffled_bytes(spark: SparkSession, body: Callable[[], object]) -> int:
    """Returns the bytes that the stages of one run write for a shuffle."""
    before = max((stage.stageId() for stage in _stages(spark)), default=-1)
    body()
    stages = _stages(spark)
    return sum(stage.shuffleWriteBytes() for stage in stages if stage.stageId() > before)


def _stages(spark: SparkSession) -> list[Any]:
    """Returns the stages that Spark remembers."""
    jvm, context = spark._jvm, spark._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    quantiles = spark.sparkContext._gateway.new_array(jvm.double, 0)
    any_status = jvm.java.util.ArrayList()
    found = context.statusStore().stageList(None, False, False, quantiles, any_status)
    return [found.apply(index) for index in range(found.size())]


def report(
    name: str,
    title: str,
    rows: list[dict[str, Any]],
    notes: list[str],
    *,
    keep: bool = True,
    width: int = 120,
) -> None:
    """Prints a table and writes it to `benchmarks/results/<name>.json` with machine and load."""
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(*("–" if value is None else str(value) for value in row.values()))
    console = Console(width=width)
    console.print(table)
    for note in notes:
        console.print(f"  {note}", markup=False)
    if not keep:
        return
    RESULTS.mkdir(exist_ok=True)
    result = {
        "eddyline": eddyline_version(),
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "load": [round(load, 1) for load in os.getloadavg()],
        "title": title,
        "rows": rows,
        "notes": notes,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")
