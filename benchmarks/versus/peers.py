"""Who does the jobs: the command lines of Kafka Streams, Flink, Spark and eddyline."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from versus import programs
from versus.jobs import DIMENSIONS, Job
from versus.spark import PRODUCER, Settings

MEMORY = "2g"  # heap of each engine
CORES = 2
# Flink's serializers and its state reach into Java's own packages
_OPENED = ("java.util", "java.lang", "java.lang.reflect", "java.net", "java.nio", "java.time")


_SENT = "sent TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', WATERMARK FOR sent AS sent"
_KEYED = {"key.fields": "k"}  # of a table without a primary key


@dataclass(frozen=True)
class Run:
    """What a process works on.

    Attributes:
        job: the job.
        events: the number of records of each topic.
        batches: the number of micro-batches.
        servers: the address of the broker.
        results: the topic of the results.
        dimensions: what the topics of the dimensions begin with.
        folder: a folder of its own.
        classes: the class paths of the engines, with those of their programs in Java.
        profile: the folder for the stacks of Spark's JVM; empty to sample nothing.
        options: more options of the JVM.
    """

    job: Job
    events: int
    batches: int
    servers: str
    results: str
    dimensions: str
    folder: Path
    classes: dict[str, str]
    profile: str = ""
    options: str = ""


Command = Callable[[Run], list[str]]


@dataclass(frozen=True)
class Peer:
    """A way to do jobs.

    Attributes:
        command: its command line.
        jobs: the names of the jobs that it does.
        state: the folder of its state, below that of the run; None if it is removed at the end.
        is_variant: whether it is another setting of an engine, measured with few events only.
    """

    command: Command
    jobs: tuple[str, ...]
    state: str | None
    is_variant: bool = False


_JVM = (f"-Xmx{MEMORY}", "-XX:+UseG1GC")


def _streams(store: str = "rocksdb", **settings: str) -> Command:
    def command(run: Run) -> list[str]:
        words = {
            "job": run.job.name,
            "events": str(run.events),
            "results": run.results,
            "dimensions": run.dimensions,
            "store": store,
            "bootstrap.servers": run.servers,
            "application.id": f"{run.results}.app",
            "state.dir": f"{run.folder}/state",
            "num.stream.threads": str(CORES),
            "auto.offset.reset": "earliest",
            **{f"producer.{name}": value for name, value in PRODUCER.items()},
            **{name.replace("_", "."): value for name, value in settings.items()},
        }
        pairs = (f"{name}={value}" for name, value in words.items())
        options = (*_JVM, *run.options.split())
        return programs.command(run.classes["streams"], "BacklogStreams", *pairs, options=options)

    return command


def _flink(**settings: str) -> Command:
    def command(run: Run) -> list[str]:
        script = run.folder / "job.sql"
        script.write_text("\n\n".join(_flink_statements(run, settings)))
        opened = tuple(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED)
        options = (*_JVM, *opened, *run.options.split())
        return programs.command(run.classes["flink"], "FlinkSql", script, options=options)

    return command


def _flink_statements(run: Run, settings: dict[str, str]) -> list[str]:
    """Returns settings, tables and the INSERT, which ends with its topics."""
    conf = {
        "parallelism.default": str(CORES),
        "state.backend.type": "rocksdb",
        "execution.checkpointing.interval": "10 s",
        "execution.checkpointing.incremental": "true",
        "execution.checkpointing.dir": f"file://{run.folder}/state",
        "table.local-time-zone": "UTC",
        **settings,
    }
    job = run.job
    event = "k STRING, v STRING"
    if job.looks_up:
        event += f", {_SENT}"
    row = f"id STRING, info STRING, {_SENT}, PRIMARY KEY (id) NOT ENFORCED"
    result = "k STRING, v STRING" + ("" if job.looks_up else ", PRIMARY KEY (k) NOT ENFORCED")
    bounded = {"scan.bounded.mode": "latest-offset"}
    events = {**bounded, "scan.startup.mode": "earliest-offset", **_KEYED}
    sink = {f"properties.{name}": value for name, value in PRODUCER.items()}
    return [
        *(f"SET {name} = {value}" for name, value in conf.items()),
        *(_flink_table(run, topic, topic, event, events) for topic in job.topics),
        *(
            _flink_table(run, name, run.dimensions + name, row, bounded)
            for name in (DIMENSIONS if job.looks_up else ())
        ),
        _flink_table(run, "results", run.results, result, sink | (_KEYED if job.looks_up else {})),
        f"INSERT INTO results {job.flink}",
    ]


def _flink_table(run: Run, name: str, topic: str, columns: str, options: dict[str, str]) -> str:
    with_all = {
        "connector": "upsert-kafka" if "PRIMARY KEY" in columns else "kafka",
        "topic": topic,
        "properties.bootstrap.servers": run.servers,
        "key.format": "raw",
        "value.format": "raw",
        "value.fields-include": "EXCEPT_KEY",
        **options,
    }
    pairs = ", ".join(f"'{option}' = '{value}'" for option, value in with_all.items())
    return f"CREATE TABLE {name} ({columns}) WITH ({pairs})"


def _spark(*, stock: bool = False, by_hand: bool = False, claim: str = "") -> Command:
    def command(run: Run) -> list[str]:
        settings = Settings(
            job=run.job.name,
            stock=stock,
            by_hand=by_hand,
            claim=claim,
            # Spark shares the limit among partitions and rounds it down
            batch=run.events // run.batches + run.events // (run.batches * 50) + 10,
            cores=CORES,
            memory=MEMORY,
            servers=run.servers,
            results=run.results,
            dimensions=run.dimensions,
            folder=str(run.folder),
            jars=run.classes["spark"],
            profile=run.profile,
            options=run.options,
        )
        return [sys.executable, "-m", "versus.spark", settings.text()]

    return command


_ALL = ("cogroup", "star", "change")
_STATEFUL = ("cogroup", "change")
_CLAIM = f" ASSUME PARTITIONED BY (string(key)) INTO {CORES} PARTITIONS USING HASH SPARK"
_MINI_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "2 s",
    "table.exec.mini-batch.size": "50000",
}
_NO_CACHE = _streams(statestore_cache_max_bytes="0")
_ONCE = _streams(processing_guarantee="exactly_once_v2")
_CHECKPOINT = "checkpoint/state"
PEERS = {
    "eddyline": Peer(_spark(), _ALL, _CHECKPOINT),
    "eddyline, ASSUME": Peer(_spark(claim=_CLAIM), _STATEFUL, _CHECKPOINT, is_variant=True),
    "Spark": Peer(_spark(stock=True), _ALL, _CHECKPOINT),
    "Spark, transformWithState": Peer(_spark(stock=True, by_hand=True), _STATEFUL, _CHECKPOINT),
    "Flink SQL": Peer(_flink(), _ALL, None),
    "Flink SQL, mini-batch": Peer(_flink(**_MINI_BATCH), _STATEFUL, None, is_variant=True),
    "Kafka Streams": Peer(_streams(), _ALL, "state"),
    "Kafka Streams, no cache": Peer(_NO_CACHE, _STATEFUL, "state", is_variant=True),
    "Kafka Streams, exactly once": Peer(_ONCE, _ALL, "state", is_variant=True),
    "Kafka Streams, in memory": Peer(_streams("memory"), ("star",), "state"),
    "Kafka Streams, Processor API": Peer(_streams("by hand"), ("change",), "state"),
}
