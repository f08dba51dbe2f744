"""Benchmark of small micro-batches, and of the time until the first row, beside plain Spark.

    python benchmarks/small.py [--rows 1000] [--batches 20] [--rounds 5] [--processes 3]

The jobs of `benchmarks/backlog.py` over streams in memory, each with a clause and without one in
turns. The rows of a micro-batch are few, so this is what a micro-batch takes by itself. The first
row is that of a stream which starts in a session that has run others, and in a new process: without
and with the archive of classes that `eddyline warm` makes, which plain Spark can use as well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from feed import Feed
from measure import DATA, jvm_cpu_seconds, report, session
from versus.jobs import CARTS, DIMENSIONS
from versus.processes import tree_cpu_seconds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

KEYS = 10_000
SIZES = dict(zip(DIMENSIONS, (100_000, 10_000, 1_000, 10_000), strict=True))
OURS, PLAIN = "eddyline", "Spark"
WARM_UP = 3  # samples
WITHOUT, WITH = "first row, new process", "the same with an archive"
FOLDER = "EDDYLINE_ARCHIVES"
ARCHIVES = {WITHOUT: DATA / "no-archives", WITH: DATA / "archives"}
MEMORY = "2g"
STATE = "spark.sql.streaming.stateStore"
CONF = {
    "spark.driver.memory": MEMORY,
    "spark.sql.shuffle.partitions": "2",
    "spark.log.level": "OFF",
    f"{STATE}.providerClass": "org.apache.spark.sql.execution.streaming.state"
    ".RocksDBStateStoreProvider",
    f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{STATE}.rocksdb.trackTotalNumberOfRows": "false",
    # of the stream that waits for its turn
    "spark.sql.streaming.pollingDelay": "20ms",
}
_NUMBERS = count()


@dataclass(frozen=True)
class Job:
    """What a stream does.

    Attributes:
        name: its name.
        views: columns of each of its streams, computed from `value`, the number of a row.
        queries: the query of each way.
    """

    name: str
    views: dict[str, list[str]]
    queries: dict[str, str]


def _cogroup() -> Job:
    plain = ", ".join(
        f"count(*) {of} AS n{i}, sum(v) {of} AS s{i}"
        for i, name in enumerate(CARTS)
        for of in [f"FILTER (WHERE branch = '{name}')"]
    )
    union = " UNION ALL ".join(f"SELECT '{name}' AS branch, k, v FROM {name}" for name in CARTS)
    branches = ", ".join(f"{name} BY k" for name in CARTS)
    ours = ", ".join(
        f"count({name}.*) AS n{i}, sum({name}.v) AS s{i}" for i, name in enumerate(CARTS)
    )
    views = {name: [f"pmod(xxhash64(value), {KEYS}) AS k", "value AS v"] for name in CARTS}
    queries = {
        PLAIN: f"SELECT k, {plain} FROM ({union}) GROUP BY k",
        OURS: f"COGROUP {branches} AGGREGATE {ours} EMIT ON UPDATE",
    }
    return Job("cogroup", views, queries)


def _star() -> Job:
    columns = [
        f"pmod(xxhash64(value, {i}), {rows}) AS {name}"
        for i, (name, rows) in enumerate(SIZES.items())
    ]

    def query(prefix: str, hint: str = "") -> str:
        found = ", ".join(f"{name}_of.info AS {name}" for name in SIZES)
        joins = " ".join(
            f"LEFT JOIN {prefix}{name} AS {name}_of ON {name}_of.id = e.{name}" for name in SIZES
        )
        return f"SELECT {hint} e.value, {found} FROM events AS e {joins}"

    hint = f"/*+ BROADCAST({', '.join(f'{name}_of' for name in SIZES)}) */"
    queries = {PLAIN: query("", hint), OURS: query("global_")}
    return Job("star", {"events": ["value", *columns]}, queries)


def _change() -> Job:
    value = "if(pmod(xxhash64(value, 1), 10) = 0, value, 0) AS v"
    columns = [f"pmod(xxhash64(value), {KEYS}) AS k", value]
    plain = "SELECT k, max(v) AS v FROM events GROUP BY k"
    return Job("change", {"events": columns}, {PLAIN: plain, OURS: f"{plain} EMIT ON CHANGE"})


JOBS = {job.name: job for job in (_cogroup(), _star(), _change())}


@dataclass
class Figures:
    """What runs of one way took, in ms."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def row(self, what: str, job: str, way: str) -> dict[str, Any]:
        """Returns a row of the table."""
        cpu, wall = ([round(value) for value in found] for found in (self.cpu, self.wall))
        return {
            "what": what,
            "job": job,
            "way": way,
            "CPU ms": round(median(cpu)),
            "CPU from to": f"{min(cpu)} {max(cpu)}",
            "ms": round(median(wall)),
            "from to": f"{min(wall)} {max(wall)}",
        }


class Stream:
    """A job that runs."""

    def __init__(self, spark: SparkSession, job: Job, way: str, rows: int, folder: Path) -> None:
        """Starts it, and waits until it has handled a first micro-batch of so many rows."""
        self._spark = spark
        self._feeds = []
        for view, columns in job.views.items():
            feed = Feed(spark)
            feed.frame.selectExpr(*columns).createOrReplaceTempView(view)
            self._feeds.append(feed)
        self._rows = rows // len(self._feeds)
        self._add()
        cpu, start = jvm_cpu_seconds(spark), time.perf_counter()
        # another text each time, since the sidecar remembers its answers
        results = spark.sql(f"{job.queries[way]} -- {next(_NUMBERS)}")
        mode = "append" if job.name == "star" else "update"
        writer = results.writeStream.format("noop").outputMode(mode)
        checkpoint = tempfile.mkdtemp(dir=folder)
        self.query: StreamingQuery = writer.option("checkpointLocation", checkpoint).start()
        self.query.processAllAvailable()
        self.first_cpu = 1000 * (jvm_cpu_seconds(spark) - cpu)
        self.first_wall = 1000 * (time.perf_counter() - start)

    def sample(self, batches: int, into: Figures | None = None) -> None:
        """Runs micro-batches, and adds what one of them took."""
        jvm = self._spark._jvm
        assert jvm is not None
        jvm.System.gc()
        cpu = jvm_cpu_seconds(self._spark)
        for _ in range(batches):
            self._add()
            self.query.processAllAvailable()
        taken = jvm_cpu_seconds(self._spark) - cpu
        done = [each for each in self.query.recentProgress if each["numInputRows"]][-batches:]
        wall = sum(each["durationMs"]["triggerExecution"] for each in done)
        if into is not None:
            into.cpu.append(1000 * taken / batches)
            into.wall.append(wall / batches)

    def _add(self) -> None:
        for feed in self._feeds:
            feed.add(self._rows)


def prepared(folder: Path, *, looks_up: bool = True) -> SparkSession:
    """Returns a session, with the tables that the job `star` looks up if there is one."""
    spark = session(**CONF, **{"spark.sql.warehouse.dir": f"{folder}/warehouse"})
    for name, rows in SIZES.items() if looks_up else ():
        info = f"SELECT id, concat('{name} ', id) AS info FROM range({rows})"
        spark.sql(f"CREATE TABLE {name} USING parquet AS {info}")
        spark.sql(f"CACHE TABLE {name}")
        spark.sql(
            f"CREATE GLOBAL TABLE global_{name} PRIMARY KEY (id) REFRESH MANUAL AS "
            f"SELECT * FROM {name}"
        )
    return spark


def measure(spark: SparkSession, job: Job, folder: Path, given: argparse.Namespace) -> list[Any]:
    """Returns the rows of a job in this session."""
    batches = {way: Figures() for way in (PLAIN, OURS)}
    streams = {way: Stream(spark, job, way, given.rows, folder) for way in batches}
    for turn in range(WARM_UP + given.rounds):
        for way, stream in streams.items():
            stream.sample(given.batches, batches[way] if turn >= WARM_UP else None)
    for stream in streams.values():
        stream.query.stop()
    first = {way: Figures() for way in (PLAIN, OURS)}
    for _ in range(given.rounds):
        for way, figures in first.items():
            started = Stream(spark, job, way, given.rows, folder)
            figures.cpu.append(started.first_cpu)
            figures.wall.append(started.first_wall)
            started.query.stop()
    what = {f"a micro-batch of {given.rows:,} rows": batches, "first row, warm session": first}
    return [f.row(name, job.name, way) for name, found in what.items() for way, f in found.items()]


def in_new_process(job: Job, rows: int, processes: int) -> list[Any]:
    """Returns the rows of a job in processes of their own, from their start."""
    found = {(what, way): Figures() for what in ARCHIVES for way in (PLAIN, OURS)}
    for _ in range(processes):
        for (what, way), figures in found.items():
            command = [sys.executable, __file__, "--rows", str(rows), "--first", job.name, way]
            start = time.perf_counter()
            with subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, FOLDER: str(ARCHIVES[what])},
            ) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == b"end\n", command
                figures.wall.append(1000 * (time.perf_counter() - start))
                figures.cpu.append(1000 * tree_cpu_seconds(process.pid))
                process.communicate(b"\n")
    if not processes:
        return []
    return [figures.row(what, job.name, way) for (what, way), figures in found.items()]


def make_archive() -> None:
    """Makes the archive of a new process, if it is not there."""
    command = [sys.executable, "-m", "eddyline", "warm"]
    subprocess.run(command, check=True, env={**os.environ, FOLDER: str(ARCHIVES[WITH])})


def first_row(job: Job, way: str, rows: int) -> None:
    """Starts a job in this process, prints `end` when its first row is there, and waits."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        spark = prepared(Path(name), looks_up=job.name == "star")
        Stream(spark, job, way, rows, Path(name))
        print("end", flush=True)
        sys.stdin.readline()


def aims(rows: list[dict[str, Any]]) -> list[str]:
    """Returns what was wanted of the figures, and whether they are so."""
    notes = []
    for plain, ours in zip(rows[::2], rows[1::2], strict=True):
        found = {}
        if ours["what"].startswith("a micro-batch"):
            found = {
                "CPU <= 150 ms": ours["CPU ms"] <= 150,
                "time <= 1.3 x plain": ours["ms"] <= 1.3 * plain["ms"],
            }
        elif "warm" in ours["what"]:
            found = {"time <= 1,000 ms": ours["ms"] <= 1000}
        elif ours["what"] == WITH:
            (cold,) = (
                row
                for row in rows
                if (row["what"], row["job"], row["way"]) == (WITHOUT, ours["job"], OURS)
            )
            found = {
                "CPU <= 0.65 x without": ours["CPU ms"] <= 0.65 * cold["CPU ms"],
                "time <= 0.62 x without": ours["ms"] <= 0.62 * cold["ms"],
            }
        notes += [
            f"{ours['job']}, {ours['what']}: aim {'met' if is_met else 'MISSED'}: {aim}"
            for aim, is_met in found.items()
        ]
    return notes


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000, help="of a micro-batch")
    parser.add_argument("--batches", type=int, default=20, help="micro-batches of a sample")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=3, help="new processes of each way")
    parser.add_argument("--first", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first:
        job, way = given.first
        first_row(JOBS[job], way, given.rows)
        return
    os.environ[FOLDER] = str(ARCHIVES[WITHOUT])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        spark = prepared(Path(name))
        rows = [row for job in JOBS.values() for row in measure(spark, job, Path(name), given)]
        spark.stop()
    if given.processes:
        make_archive()
    for job in JOBS.values():
        rows += in_new_process(job, given.rows, given.processes)
    notes = [
        f"local[2], heap {MEMORY}, RocksDB with changelog, {KEYS:,} keys",
        f"lookups in {sum(SIZES.values()):,} rows of four tables, which plain Spark has cached",
        f"medians of {given.rounds} samples of {given.batches} micro-batches, of as many first "
        f"rows, and of {given.processes} new processes",
        "a new process for star makes and loads its tables, too",
        "CPU of the process; time of a micro-batch as Spark reports it",
        *aims(rows),
    ]
    whole = (given.rows, given.batches) == (1_000, 20) and given.processes > 0
    report("small", "Small micro-batches and first rows", rows, notes, keep=whole, width=140)


if __name__ == "__main__":
    main()
