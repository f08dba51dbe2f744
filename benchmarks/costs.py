"""What the CPU of a backlog is spent on, by eddyline and by stock Spark.

    python benchmarks/costs.py [--events 400000 2000000] [--jobs …]

Each does a job of `backlog.py` once under async-profiler, which samples all threads of the JVM by
CPU time. A sample counts for one cost: that of its thread, or of code anywhere on its stack, or
else of the frame nearest to its top that has one. The phase `start` is what a process does before
the work: where a job looks up, it loads the tables. Needs Maven, which fetches the jars.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from backlog import BATCHES, EVENTS, KAFKA, Backlog, backlog_of, class_paths
from measure import report
from versus import programs
from versus.jobs import JOBS, Job
from versus.profiler import stacks

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples/kafka"))
from broker import fetch_jars

PROFILER = KAFKA / "profiler"
WAYS = ("eddyline", "Spark")
ELSE = "else"
# found in the name of the thread, which is the first frame, or anywhere below it
_ANYWHERE = {
    "JIT compiler": r"^\[C[12] ",
    "garbage collection": r"^\[(G1|GC|VM) ",
    "code generation": r"org/codehaus/|codegen/CodeGenerator",
    "class loading": r"ClassLoader|defineClass|SystemDictionary|InstanceKlass|MethodHandle|"
    r"LinkResolver|LambdaMetafactory",
    "processes": r"java/lang/Process(Impl|Builder)",
}
# found in the frame nearest to the top of the stack
_NEAREST = {
    "topics": r"org/apache/(kafka|spark/sql/kafka010)/",
    "state": r"org/rocksdb/|org/apache/spark/sql/execution/streaming/",
    "eddyline": r"io/eddyline/|org/apache/spark/.*/eddyline/",
    "files": r"org/apache/(hadoop|parquet)/|com/fasterxml/jackson/",
    "rows": r"GeneratedClass|org/apache/spark/(unsafe|sql/catalyst/(expressions|InternalRow))|"
    r"org/apache/spark/sql/execution/(aggregate|joins|Unsafe\w+)",
    "planning": r"org/apache/spark/sql/|org/antlr/",
    "jobs and shuffles": r"org/apache/spark/|io/netty/|org/apache/xbean/",
}
COSTS = (*_ANYWHERE, *_NEAREST, ELSE)


def cost_of(stack: list[str]) -> str:
    """Returns what a stack is spent on, one of `COSTS`."""
    whole = ";".join(stack)
    for cost, pattern in _ANYWHERE.items():
        if re.search(pattern, whole):
            return cost
    for frame in reversed(stack):
        for cost, pattern in _NEAREST.items():
            if re.match(pattern, frame):
                return cost
    return ELSE


def costs(folder: Path, phase: str) -> dict[str, float]:
    """Returns CPU seconds by cost, and all of them."""
    found = dict.fromkeys(COSTS, 0.0)
    for stack, seconds in stacks(folder, phase):
        found[cost_of(stack)] += seconds
    return {name: round(value, 1) for name, value in {"all": sum(found.values()), **found}.items()}


def rows_of(backlog: Backlog, job: Job, way: str) -> list[dict[str, Any]]:
    """Does a job; returns the row of its work, and of the start if it loads tables there."""
    with tempfile.TemporaryDirectory() as folder:
        backlog.run(job, way, profile=folder)
        return [
            {"job": job.name, "events": backlog.events, "phase": phase, "way": way}
            | costs(Path(folder), phase)
            for phase in (("start", "work") if job.looks_up else ("work",))
        ]


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, nargs="+", default=EVENTS, help="of each topic")
    names = [job.name for job in JOBS]
    parser.add_argument("--jobs", nargs="+", choices=names, default=names)
    given = parser.parse_args()
    if reason := fetch_jars(programs.PROGRAMS / "profiler.xml", PROFILER):
        sys.exit(reason)
    classes = class_paths()
    classes["spark"] += f"{os.pathsep}{PROFILER}/*"
    rows: list[dict[str, Any]] = []
    for events in given.events:
        with backlog_of(events, classes, BATCHES) as backlog:
            for job in (job for job in JOBS if job.name in given.jobs):
                for way in WAYS:
                    rows += rows_of(backlog, job, way)
    notes = ["CPU seconds of the JVM, sampled each 10 ms of a thread's CPU time; one run of each"]
    whole = (given.events, given.jobs) == (EVENTS, names)
    report("costs", "What a backlog is spent on", rows, notes, keep=whole, width=200)


if __name__ == "__main__":
    main()
