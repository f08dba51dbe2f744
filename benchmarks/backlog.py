"""Benchmark of a backlog on topics: eddyline beside Spark, Flink SQL and Kafka Streams.

    python benchmarks/backlog.py [--events 400000 2000000] [--rounds 3] [--jobs …] [--peers …]
    python benchmarks/backlog.py --archives --events 400000

Each engine does a job on the same topics of one broker, alone on the machine and in a process of
its own, from the first record to the last. The results of all are read back and compared. Printed
are medians over the rounds, in which the engines take turns. Variants of an engine are measured
with the least number of events only. A run of one number of events keeps the results of the other.
With --archives each engine first does the job once more, to make the archive of classes with which
its JVM starts in the rounds; these results are kept apart, and are of no variants.
Needs Maven, which fetches the jars.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
from measure import DATA, RESULTS, cpu_seconds, report
from versus import programs
from versus.jobs import JOBS, Job
from versus.peers import CORES, MEMORY, PEERS, Run
from versus.processes import Taken, folder_megabytes, watch

from eddyline.archive import creation, java_release, usage

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples/kafka"))
from broker import Broker, connector_jars, fetch_jars

HERE = Path(__file__).resolve().parent
KAFKA = DATA.parent / "kafka"
EVENTS = [400_000, 2_000_000]
BATCHES = 10
EVENTS_OF_KEY = 10
_WANTED = 0.7  # of the events that Kafka Streams handles in a CPU second, from the start


@dataclass(frozen=True)
class Done:
    """What one process did.

    Attributes:
        taken: what it took.
        broker: CPU seconds of the broker meanwhile.
        state: size of its state, in MB, if it is there when the process has ended.
        results: what its results are, by `BacklogTopics read`.
    """

    taken: Taken
    broker: float
    state: float | None
    results: dict[str, Any]


class Backlog:
    """A broker with a number of records on each topic.

    Attributes:
        events: this number.
    """

    def __init__(self, broker: Broker, classes: dict[str, str], events: int, batches: int) -> None:
        self._broker = broker
        self._classes = classes
        self.events = events
        self._batches = batches
        self._keys = max(events // EVENTS_OF_KEY, 1)
        self._runs = 0
        self._topics("events", events, self._keys)

    def run(self, job: Job, peer: str, profile: str = "", options: str = "") -> Done:
        """Does a job once.

        Args:
            job: the job.
            peer: who does it.
            profile: as in `Run`.
            options: as in `Run`.
        """
        self._runs += 1
        prefix = f"run{self._runs}."
        self._topics("create", f"{prefix}results")
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
            self._tables(job, prefix),
        ):
            folder = Path(name)
            run = Run(
                job,
                self.events,
                self._batches,
                self._broker.address,
                f"{prefix}results",
                prefix,
                folder,
                self._classes,
                profile,
                options,
            )
            before = cpu_seconds(self._broker.pid)
            command = PEERS[peer].command(run)
            taken = watch(command, folder / "log", cwd=HERE)
            broker = cpu_seconds(self._broker.pid) - before
            state = PEERS[peer].state
            size = folder_megabytes(folder / state) if state else None
        results: dict[str, Any] = json.loads(self._topics("read", f"{prefix}results"))
        self._topics("drop", prefix)
        return Done(taken, broker, size, results)

    @contextmanager
    def _tables(self, job: Job, prefix: str) -> Iterator[None]:
        """Keeps topics of the dimensions, whose rows are sent again all the time."""
        if not job.looks_up:
            yield
            return
        self._topics("dimensions", prefix, self._keys)
        touch = subprocess.Popen(self._command("touch", prefix, self._keys))
        try:
            yield
        finally:
            touch.kill()
            touch.wait()

    def _topics(self, *words: object) -> str:
        done = subprocess.run(self._command(*words), check=True, capture_output=True, text=True)
        return done.stdout

    def _command(self, *words: object) -> list[str]:
        words = (self._broker.address, CORES, *words)
        classes = self._classes["streams"]
        return programs.command(classes, "BacklogTopics", *words, options=("-Xmx1g",))


def differences(job: Job, done: dict[str, list[Done]]) -> list[str]:
    """Returns the peers whose results are not those of the first one.

    Those that report a key many times agree if the newest records of all keys do. Lookups give one
    record for each event, which Flink reports in another order.
    """
    compared = ("records", "all") if job.looks_up else ("keys", "newest")
    found = {
        peer: {tuple(one.results[name] for name in compared) for one in rounds}
        for peer, rounds in done.items()
    }
    expected = next(iter(found.values()))
    return [peer for peer, results in found.items() if results != expected or len(results) > 1]


def rows_of(job: Job, events: int, done: dict[str, list[Done]]) -> list[dict[str, Any]]:
    """Returns a row of the table for each peer."""
    number = events * len(job.topics)
    rates = {peer: [number / one.taken.cpu for one in rounds] for peer, rounds in done.items()}
    return [
        {
            "job": job.name,
            "events": events,
            "way": peer,
            "events/CPU s": round(statistics.median(rates[peer])),
            "least": round(min(rates[peer])),
            "most": round(max(rates[peer])),
            "CPU s": _median(one.taken.cpu for one in rounds),
            "from start": _median(one.taken.whole_cpu for one in rounds),
            "broker": _median(one.broker for one in rounds),
            "wall s": _median(one.taken.wall for one in rounds),
            "memory MB": round(_median(one.taken.memory for one in rounds)),
            "state MB": _median(one.state or 0 for one in rounds) or None,
            "results": round(_median(one.results["records"] for one in rounds)),
        }
        for peer, rounds in done.items()
    ]


def _median(values: Iterable[float]) -> float:
    return round(statistics.median(values), 1)


def class_paths() -> dict[str, str]:
    """Returns the class paths of all programs, whose jars are fetched and which are compiled.

    Raises:
        SystemExit: if Maven cannot fetch a jar.
    """
    if reason := fetch_jars():
        sys.exit(reason)
    classes = KAFKA / "spark-programs.jar"
    programs.compile_into(classes, Path(pyspark.__file__).with_name("jars"), "StatefulJobs")
    paths = {"spark": os.pathsep.join(map(str, (classes, *connector_jars())))}
    for engine, names in {
        "streams": ("BacklogStreams", "BacklogTopics"),
        "flink": ("FlinkSql",),
    }.items():
        if reason := fetch_jars(programs.PROGRAMS / f"{engine}.xml", KAFKA / engine):
            sys.exit(reason)
        paths[engine] = programs.compiled(KAFKA / engine, *names)
    return paths


@contextmanager
def backlog_of(events: int, classes: dict[str, str], batches: int) -> Iterator[Backlog]:
    """Runs a broker with a number of records on each topic."""
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        broker.start()
        try:
            yield Backlog(broker, classes, events, batches)
        finally:
            broker.stop()


def compare(
    backlog: Backlog, jobs: list[Job], peers: list[str], *, rounds: int, archives: Path | None
) -> list[dict[str, Any]]:
    """Returns the rows of all jobs.

    Args:
        backlog: the records.
        jobs: the jobs.
        peers: who does them.
        rounds: how often each of them does each job.
        archives: the folder for archives of classes; None to use none.

    Raises:
        SystemExit: if results differ.
    """
    rows = []
    for job in jobs:
        able = [peer for peer in peers if job.name in PEERS[peer].jobs]
        done: dict[str, list[Done]] = {peer: [] for peer in able}
        options = dict.fromkeys(able, "")
        if archives:
            _, java = java_release()
            for peer in able:
                file = archives / f"{job.name}{able.index(peer)}"
                backlog.run(job, peer, options=creation(java, file))
                if not file.exists():
                    sys.exit(f"{job.name}: {peer} has made no archive")
                options[peer] = usage(java, file)
        for turn in range(rounds):
            for peer in able:
                one = backlog.run(job, peer, options=options[peer])
                done[peer].append(one)
                print(turn + 1, job.name, peer, one, file=sys.stderr, flush=True)
        if wrong := differences(job, done):
            sys.exit(f"{job.name}: the results of {', '.join(wrong)} differ")
        rows += rows_of(job, backlog.events, done)
    return rows


def kept(measured: list[int]) -> list[dict[str, Any]]:
    """Returns earlier results for the numbers of events that are not measured now."""
    file = RESULTS / "backlog.json"
    rows: list[dict[str, Any]] = json.loads(file.read_text())["rows"] if file.exists() else []
    return [row for row in rows if row["events"] not in measured]


def aims(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yields what was wanted of the CPU time from the start of a process, and whether it is so."""
    found = {(row["job"], row["events"], row["way"]): row["from start"] for row in rows}
    for (job, events, way), ours in found.items():
        theirs = found.get((job, events, "Kafka Streams"))
        if way == "eddyline" and theirs:
            ratio = theirs / ours
            met = "met" if ratio >= _WANTED else "MISSED"
            yield (
                f"{job}, {events:,} events: from its start {ratio:.2f} x as many events a CPU "
                f"second as Kafka Streams; aim {met}: {_WANTED} x"
            )


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, nargs="+", default=EVENTS, help="of each topic")
    parser.add_argument("--batches", type=int, default=BATCHES, help="micro-batches")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--archives", action="store_true", help="start with archives of classes")
    names = [job.name for job in JOBS]
    parser.add_argument("--jobs", nargs="+", choices=names, default=names)
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=[*PEERS])
    given = parser.parse_args()
    classes = class_paths()
    jobs = [job for job in JOBS if job.name in given.jobs]
    rows = []
    DATA.mkdir(parents=True, exist_ok=True)
    for events in given.events:
        few = events < EVENTS[-1] and not given.archives
        peers = [peer for peer in given.peers if few or not PEERS[peer].is_variant]
        with (
            backlog_of(events, classes, given.batches) as backlog,
            tempfile.TemporaryDirectory(prefix="archives-", dir=DATA) as name,
        ):
            archives = Path(name) if given.archives else None
            rows += compare(backlog, jobs, peers, rounds=given.rounds, archives=archives)
    notes = [
        f"{CORES} partitions a topic, {EVENTS_OF_KEY} events a key and topic; heap {MEMORY}",
        f"{given.rounds} rounds, medians; Spark with {given.batches} micro-batches; results agree",
        "CPU of a process with its children: for the work, and from its start; that of the broker",
    ]
    if given.archives:
        notes += aims(rows)
    whole = (given.jobs, given.peers) == (names, [*PEERS]) and {*given.events} <= {*EVENTS}
    if whole and not given.archives:
        rows = kept(given.events) + rows
        rows.sort(key=lambda row: (names.index(row["job"]), row["events"]))
    name = "backlog_archives" if given.archives else "backlog"
    title = "A backlog on topics" + (", with archives of classes" if given.archives else "")
    report(name, title, rows, notes, keep=whole, width=180)


if __name__ == "__main__":
    main()
