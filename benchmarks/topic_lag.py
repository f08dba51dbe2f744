"""How old the rows are that lookups in real time have, of a table over a topic that changes.

    python benchmarks/topic_lag.py [--seconds 20] [--rows 1000000] [--rates 0 1000]

A program changes random rows of the topic, so many a second, and sends events of some of them until
the new row is in a result: the lag is the time from the sending of the row until that result is
read. The same for a global table of Kafka Streams. Needs Maven, which fetches the jars.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import DATA, cpu_seconds, jvm_cpu_seconds, report, session
from versus import programs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples/kafka"))
from broker import JARS, Broker, connector_jars, fetch_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STREAMS = DATA.parent / "kafka/streams"
WARM_UP = 20  # seconds after the first result
WAYS = ["eddyline", "Kafka Streams"]
_JVM = ("-Xmx512m",)
LOOKUP = (
    "SELECT string(e.key) AS key, concat(t.sent, ',') AS value "
    "FROM STREAM events AS e JOIN watched AS t ON string(e.key) = t.k"
)


class Bench:
    """A session and a broker, which has a topic with all rows."""

    def __init__(self, spark: SparkSession, broker: Broker, given: argparse.Namespace) -> None:
        self._spark = spark
        self._broker = broker
        self._given = given
        self._runs = 0
        self._make_topics("rows")
        self._program(seconds=0)

    def run(self, way: str, rate: int) -> dict[str, Any]:
        """Returns a row of the table."""
        self._runs += 1
        self._make_topics(self._topic("events"), self._topic("results"))
        with self._eddyline() if way == "eddyline" else self._streams() as cpu:
            found = self._program(cpu, rate=rate, seconds=self._given.seconds)
        return {
            "changes/s": rate,
            "way": way,
            **{f"{part} ms": found[part] for part in ("p50", "p99", "max")},
            "CPU ms/s": round(1000 * found["cpu"] / self._given.seconds),
            "seen": found["seen"],
        }

    def _topic(self, name: str) -> str:
        return f"{name}{self._runs}"

    def _make_topics(self, *names: str) -> None:
        jvm: Any = self._spark._jvm
        admin = jvm.org.apache.kafka.clients.admin
        client = admin.AdminClient.create({"bootstrap.servers": self._broker.address})
        optional = jvm.java.util.Optional
        topics = [admin.NewTopic(name, optional.of(2), optional.empty()) for name in names]
        client.createTopics(topics).all().get()
        client.close()

    @contextmanager
    def _eddyline(self) -> Iterator[Callable[[], float]]:
        spark = self._spark

        def options(topic: str) -> str:
            server = f"'kafka.bootstrap.servers' '{self._broker.address}'"
            return f"OPTIONS ({server}, subscribe '{topic}'"

        for name in ("events", "results"):
            topic = options(self._topic(name))
            spark.sql(f"CREATE TABLE {name} USING kafka {topic}, startingOffsets 'earliest')")
        spark.sql(
            "CREATE GLOBAL TABLE watched (k STRING, sent STRING, PRIMARY KEY (k)) USING kafka "
            f"{options('rows')}, 'value.format' 'string') REFRESH {self._given.refresh}"
        )
        with tempfile.TemporaryDirectory() as checkpoint:
            spark.sql(
                f"START STREAMING QUERY q TRIGGER REAL TIME 10 MINUTES CHECKPOINT '{checkpoint}/q' "
                f"AS INSERT INTO results (key, value) {LOOKUP}"
            )
            yield lambda: jvm_cpu_seconds(spark)
            spark.sql("DROP STREAMING QUERY q")
        spark.sql("DROP GLOBAL TABLE watched")
        spark.sql("DROP TABLE events")
        spark.sql("DROP TABLE results")

    @contextmanager
    def _streams(self) -> Iterator[Callable[[], float]]:
        with tempfile.TemporaryDirectory() as state:
            topics = (self._topic("results"), self._topic("events"), "rows")
            words = [self._broker.address, "lookup", state, *topics]
            classes = programs.compiled(STREAMS, "StreamsJobs")
            process = subprocess.Popen(
                programs.command(classes, "StreamsJobs", *words, options=_JVM)
            )
            try:
                yield lambda: cpu_seconds(process.pid)
            finally:
                process.kill()
                process.wait()

    def _program(self, cpu: Callable[[], float] = float, **more: int) -> dict[str, Any]:
        """Runs the program; adds the CPU seconds of the measured time to what it prints."""
        settings = {
            "servers": self._broker.address,
            "rows": "rows",
            "input": self._topic("events"),
            "output": self._topic("results"),
            "keys": self._given.rows,
            "warm": WARM_UP,
            **more,
        }
        words = [f"{name}={value}" for name, value in settings.items()]
        classes = programs.compiled(JARS, "RowLag")
        command = programs.command(classes, "RowLag", *words, options=_JVM)
        at: dict[str, float] = {}
        found: dict[str, Any] = {}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                if line.startswith("cpu_"):
                    at[line.strip()] = cpu()
                elif line.startswith("{"):
                    found = json.loads(line)
        return {**found, "cpu": at.get("cpu_to", 0.0) - at.get("cpu_from", 0.0)}


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=20, help="measured seconds of each run")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rates", type=int, nargs="+", default=[0, 1000], help="changes a second")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--refresh", default="EVERY 10 SECONDS")
    given = parser.parse_args()
    for reason in (fetch_jars(), fetch_jars(programs.PROGRAMS / "streams.xml", STREAMS)):
        if reason:
            sys.exit(reason)
    conf = {
        "spark.master": "local[4]",
        "spark.driver.extraClassPath": os.pathsep.join(map(str, connector_jars())),
        "spark.log.level": "OFF",
        "spark.sql.warehouse.dir": str(DATA / "topic_lag"),
        "spark.sql.shuffle.partitions": "2",
    }
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(Path(folder))
        broker.start()
        try:
            bench = Bench(session(**conf), broker, given)
            rows = [bench.run(way, rate) for rate in given.rates for way in given.ways]
        finally:
            broker.stop()
    notes = [
        f"{given.rows:,} rows, REFRESH {given.refresh}; {given.seconds} s after {WARM_UP} s",
        "CPU: of the process, driver and executors of Spark in one; with the events, 200 a second "
        "for each row that no result has yet, of 20 new rows a second",
    ]
    whole = (given.rows, given.ways, given.rates) == (1_000_000, WAYS, [0, 1000])
    report("topic_lag", "Age of the rows of lookups in real time", rows, notes, keep=whole)


if __name__ == "__main__":
    main()
