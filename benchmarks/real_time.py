"""Benchmark of the latency of a record: real-time mode, micro-batches and Kafka Streams.

    python benchmarks/real_time.py [--seconds 20] [--rates 50 500 5000]

A program sends records to topics of a broker at a fixed rate. A job answers them in another topic,
which the program reads: the latency of a record is the time from its sending until a result that
covers it is read. The jobs are a join with a global table that changes every second, a COGROUP of
three topics, and EMIT ON CHANGE of an aggregation where one of ten records changes something, the
last without ASSUME and with it. Each job runs alone on the machine, with the broker and the
program. Needs Maven, which fetches the jars.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import DATA, cpu_seconds, jvm_cpu_seconds, report, session
from versus import programs

from eddyline.session import BUFFER_WAIT

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples/kafka"))
from broker import JARS, Broker, connector_jars, fetch_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAMS = DATA.parent / "kafka/streams"
PARTITIONS = 2
KEYS = 1000
RATES = [50, 500, 5000]  # records a second
WARM_UP = 15  # seconds after the first result
# one core for each task of a query: a task for each partition of its topics and of its state
CORES = 3 * PARTITIONS + PARTITIONS + 2
TRIGGERS = {"real time": "TRIGGER REAL TIME 10 MINUTES", "micro-batch": ""}
_JVM = ("-Xmx512m",)
WAYS = [*TRIGGERS, "Kafka Streams"]


@dataclass(frozen=True)
class Job:
    """What is done with the records.

    Attributes:
        name: its name, here and in the program on Kafka Streams.
        inputs: the topics that the records are sent to.
        query: the query over these topics.
        each: whether each record has a result.
        dimension: the topic of the rows that are looked up.
        placed: whether Spark's hash of a record's key is the number of its partition.
    """

    name: str
    inputs: tuple[str, ...]
    query: str
    each: bool = True
    dimension: str | None = None
    placed: bool = False

    @property
    def ways(self) -> list[str]:
        """The ways to run it."""
        return list(TRIGGERS) if self.placed else WAYS

    @property
    def topics(self) -> list[str]:
        """The topics that it reads, that of a dimension at the end."""
        return [*self.inputs, *([self.dimension] if self.dimension else [])]


def newest(value: str) -> str:
    """Returns the expression of when the newest record was sent."""
    return f"max(bigint(substring_index(string({value}), ',', -1)))"


def changes(levels: str) -> str:
    """Returns the query over the stream of levels that gives only those that change."""
    return (
        "SELECT key, concat(level, ',', newest) AS value FROM (SELECT string(key) AS key, "
        "max(int(substring_index(string(value), ',', 1))) AS level, "
        f"{newest('value')} AS newest "
        f"FROM STREAM {levels} GROUP BY string(key) EMIT ON CHANGE OF (level))"
    )


CLAIM = f"ASSUME PARTITIONED BY (string(key)) INTO {PARTITIONS} PARTITIONS USING HASH SPARK"
JOBS = [
    Job(
        "lookup",
        ("events",),
        "SELECT string(e.key) AS key, concat(p.sent, ',', string(e.value)) AS value "
        "FROM STREAM events AS e JOIN prices AS p ON string(e.key) = p.k",
        dimension="rows",
    ),
    Job(
        "cogroup",
        ("carts", "purchases", "wishes"),
        "COGROUP STREAM carts AS c BY string(key) AS key, STREAM purchases AS p BY string(key), "
        "STREAM wishes AS w BY string(key) AGGREGATE concat_ws(',', count(c.*), count(p.*), "
        f"count(w.*), greatest({newest('c.value')}, {newest('p.value')}, {newest('w.value')})) "
        "AS value EMIT ON UPDATE",
    ),
    Job("change", ("levels",), changes("levels"), each=False),
    Job("change, claimed", ("levels",), changes(f"levels {CLAIM}"), each=False, placed=True),
]


class Bench:
    """A session and a broker."""

    def __init__(self, spark: SparkSession, broker: Broker, seconds: int) -> None:
        self._spark = spark
        self._broker = broker
        self._seconds = seconds
        self._runs = 0

    def run(self, job: Job, way: str, rate: int) -> dict[str, Any]:
        """Returns a row of the table."""
        self._runs += 1
        self._make_topics([self._topic(name) for name in [*job.topics, "results"]])
        trigger = TRIGGERS.get(way)
        with self._streams(job) if trigger is None else self._statement(job, trigger) as cpu:
            before = cpu()
            found = self._load(job, rate)
            used = cpu() - before
        return {
            "job": job.name,
            "records/s": rate,
            "way": way,
            **{f"{part} ms": found[key] for part, key in LATENCIES.items()},
            "CPU s": round(used, 1),
            "answered": f"{found['results']} of {found['sent'] // (1 if job.each else 10)}",
        }

    def _topic(self, name: str) -> str:
        return f"{name}{self._runs}"

    def _make_topics(self, names: list[str]) -> None:
        jvm: Any = self._spark._jvm
        admin = jvm.org.apache.kafka.clients.admin
        client = admin.AdminClient.create({"bootstrap.servers": self._broker.address})
        optional = jvm.java.util.Optional
        topics = [admin.NewTopic(name, optional.of(PARTITIONS), optional.empty()) for name in names]
        client.createTopics(topics).all().get()
        client.close()

    @contextmanager
    def _statement(self, job: Job, trigger: str) -> Iterator[Callable[[], float]]:
        """Runs the job by START STREAMING QUERY."""
        spark = self._spark
        for name in [*job.inputs, "results"]:
            options = f"{self._options(name)}, startingOffsets 'earliest'"
            spark.sql(f"CREATE TABLE {name} USING kafka OPTIONS ({options})")
        if job.dimension:
            spark.sql(
                "CREATE GLOBAL TABLE prices (k STRING, sent STRING, PRIMARY KEY (k)) USING kafka "
                f"OPTIONS ({self._options(job.dimension)}, 'value.format' 'string') "
                "REFRESH EVERY 200 MILLISECONDS"
            )
        with tempfile.TemporaryDirectory() as checkpoint:
            spark.sql(
                f"START STREAMING QUERY q {trigger} CHECKPOINT '{checkpoint}/q' "
                f"AS INSERT INTO results (key, value) {job.query}"
            )
            yield lambda: jvm_cpu_seconds(spark)
            spark.sql("DROP STREAMING QUERY q")
        for name in [*job.inputs, "results"]:
            spark.sql(f"DROP TABLE {name}")
        if job.dimension:
            spark.sql("DROP GLOBAL TABLE prices")

    def _options(self, topic: str) -> str:
        server = f"'kafka.bootstrap.servers' '{self._broker.address}'"
        return f"{server}, subscribe '{self._topic(topic)}'"

    @contextmanager
    def _streams(self, job: Job) -> Iterator[Callable[[], float]]:
        """Runs the job on Kafka Streams."""
        with tempfile.TemporaryDirectory() as state:
            words = [self._broker.address, job.name, state]
            words += map(self._topic, ["results", *job.topics])
            classes = programs.compiled(STREAMS, "StreamsJobs")
            process = subprocess.Popen(
                programs.command(classes, "StreamsJobs", *words, options=_JVM)
            )
            try:
                yield lambda: cpu_seconds(process.pid)
            finally:
                process.kill()
                process.wait()

    def _load(self, job: Job, rate: int) -> dict[str, Any]:
        settings = {
            "servers": self._broker.address,
            "inputs": ",".join(map(self._topic, job.inputs)),
            "output": self._topic("results"),
            "rate": rate,
            "seconds": self._seconds,
            "warm": WARM_UP,
            "keys": KEYS,
            "each": str(job.each).lower(),
            **({"dimension": self._topic(job.dimension)} if job.dimension else {}),
            **({"placement": self._placement()} if job.placed else {}),
        }
        words = [f"{name}={value}" for name, value in settings.items()]
        classes = programs.compiled(JARS, "Latency")
        command = programs.command(classes, "Latency", *words, options=_JVM)
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def _placement(self) -> str:
        """Returns the partition of each key, a digit a key."""
        partition = f"pmod(hash(concat('k', id)), {PARTITIONS})"
        found = self._spark.sql(f"SELECT {partition} FROM range({KEYS}) ORDER BY id").collect()
        return "".join(str(row[0]) for row in found)


LATENCIES = {
    "p50": "p50",
    "p99": "p99",
    "p99.9": "p999",
    "max": "max",
    "new row p50": "fresh_p50",
    "new row max": "fresh_max",
}


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=20, help="measured seconds of each run")
    parser.add_argument("--rates", type=int, nargs="+", default=RATES)
    names = [job.name for job in JOBS]
    parser.add_argument("--jobs", nargs="+", choices=names, default=names)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    given = parser.parse_args()
    for reason in (fetch_jars(), fetch_jars(programs.PROGRAMS / "streams.xml", STREAMS)):
        if reason:
            sys.exit(reason)
    jars = os.pathsep.join(map(str, connector_jars()))
    conf = {
        "spark.master": f"local[{CORES}]",
        "spark.driver.extraClassPath": jars,
        "spark.log.level": "OFF",
        "spark.sql.warehouse.dir": str(DATA / "real_time"),
        "spark.sql.shuffle.partitions": str(PARTITIONS),
        "spark.eddyline.assume.streams.enabled": "true",
    }
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        broker.start()
        try:
            bench = Bench(session(**conf), broker, given.seconds)
            rows = [
                bench.run(job, way, rate)
                for job in JOBS
                if job.name in given.jobs
                for rate in given.rates
                for way in given.ways
                if way in job.ways
            ]
        finally:
            broker.stop()
    notes = [
        f"{KEYS} keys, {PARTITIONS} partitions a topic; {given.seconds} s after {WARM_UP} s",
        f"{BUFFER_WAIT} = 2; Kafka Streams without a cache, at least once",
        "CPU: of the process of the job, from the start of the load; "
        "new row: from its sending until a result has it",
        "at 50 records/s many keys have their first record, which always changes something",
    ]
    whole = (given.jobs, given.ways, given.rates) == (names, WAYS, RATES)
    report("real_time", "Latency of a record", rows, notes, keep=whole, width=150)


if __name__ == "__main__":
    main()
