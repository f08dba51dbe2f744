"""Runs examples on the topics of a broker: `make demo-kafka`.

They are those of KIP-150, KIP-557 and KIP-99, and one query in real-time mode and in micro-batches.
The broker runs on a free port of 127.0.0.1 and is stopped at the end. With `--json` the report is
printed as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from broker import Broker, connector_jars, fetch_jars
from demo.report import Part, Report
from pyspark.sql import SparkSession
from rich.console import Console

from eddyline import EddylineError
from eddyline.cli.runner import progress
from eddyline.cli.session import local_session
from eddyline.lowering.statements import statements_of
from eddyline.streamingquery import streaming_queries

HERE = Path(__file__).resolve().parent
Record = tuple[str, str]
_ANSWERED = 300.0  # seconds; later it counts as never


class Demo:
    """A session, a broker, and the scripts of this folder."""

    def __init__(self, spark: SparkSession, broker: Broker) -> None:
        self._spark = spark
        self._broker = broker

    def produce(self, topic: str, *records: Record) -> None:
        """Appends records, each a key and a value, in their order."""
        rows = [(*record, 0) for record in records]
        frame = self._spark.createDataFrame(rows, "key STRING, value STRING, partition INT")
        writer = frame.coalesce(1).write.format("kafka").option("topic", topic)
        writer.option("kafka.bootstrap.servers", self._broker.address).save()

    def run(self, script: str) -> str:
        """Runs the statements of a script.

        Returns:
            The text of the script.
        """
        text = (HERE / f"{script}.sql").read_text("utf-8").replace("<broker>", self._broker.address)
        for statement in statements_of(text):
            self._spark.sql(statement.text)
        return text

    def start(self, script: str) -> str:
        """Runs a script, whose last statement starts a query, to the end of the records.

        Returns:
            The text of the script.
        """
        text = self.run(script)
        self._spark.sql(f"AWAIT STREAMING QUERY {script}")
        return text

    def stop(self, query: str) -> None:
        """Stops a query."""
        self._spark.sql(f"STOP STREAMING QUERY {query}")

    def create_topics(self, *names: str) -> None:
        """Creates topics, which a query in real-time mode needs before it starts."""
        jvm: Any = self._spark._jvm
        admin = jvm.org.apache.kafka.clients.admin
        client = admin.AdminClient.create({"bootstrap.servers": self._broker.address})
        default = jvm.java.util.Optional.empty()
        client.createTopics([admin.NewTopic(name, default, default) for name in names]).all().get()
        client.close()

    def resume(self, script: str) -> None:
        """Runs the query of a script over the records that have come since."""
        self._spark.sql(f"START STREAMING QUERY {script}")
        self._spark.sql(f"AWAIT STREAMING QUERY {script}")

    def refresh(self, table: str) -> None:
        """Refreshes a global table."""
        self._spark.sql(f"REFRESH GLOBAL TABLE {table}")

    def plan(self, script: str) -> str:
        """Returns the plan of the last micro-batch."""
        return str(self._spark.sql(f"EXPLAIN STREAMING QUERY {script}").collect()[0][0])

    def dropped(self, script: str) -> int:
        """Returns how many idempotent updates the last run has dropped."""
        (found,) = [query for query in streaming_queries(self._spark) if query.name == script]
        return found.dropped

    def times(self, table: str) -> list[int]:
        """Returns when each record of a topic was sent, in milliseconds since 1970, by time."""
        rows = self._spark.sql(f"SELECT unix_millis(timestamp) AS sent FROM {table} ORDER BY sent")
        return [sent for (sent,) in rows.collect()]

    def await_records(self, table: str, number: int) -> None:
        """Waits until a topic has a number of records.

        Raises:
            SystemExit: if they do not come.
        """
        end = time.monotonic() + _ANSWERED
        while len(self.times(table)) < number:
            if time.monotonic() > end:
                raise SystemExit(f"make demo-kafka: {table} has no {number} records.")
            time.sleep(0.1)

    def records(self, table: str) -> list[Record]:
        """Returns the records of a topic in the order of their writing, those of a key at least."""
        rows = self._spark.sql(
            f"SELECT string(key), string(value) FROM {table} ORDER BY timestamp, partition, offset"
        )
        return [(key, value) for key, value in rows.collect()]


def kip_150(demo: Demo) -> Part:
    """Cogroups carts, purchases and wish lists into customers."""
    demo.produce("cart", ("1", "1"))
    demo.produce("purchases", ("2", "6"))
    demo.produce("wishlist", ("2", "12"))
    text = demo.start("kip_150")
    first = demo.records("customers")
    demo.produce("cart", ("2", "2"), ("1", "3"), ("1", "4"), ("2", "5"))
    demo.produce("purchases", ("1", "7"), ("1", "8"), ("2", "9"), ("2", "10"))
    demo.produce("wishlist", ("1", "11"), ("2", "13"), ("2", "14"), ("2", "15"))
    demo.resume("kip_150")
    rows = demo.records("customers")
    expected = {
        "1": {"cart": [1, 3, 4], "purchases": [7, 8], "wishlist": [11]},
        "2": {"cart": [2, 5], "purchases": [6, 9, 10], "wishlist": [12, 13, 14, 15]},
    }
    return Part(
        "KIP-150: three topics become customers",
        text,
        ["customer", "row"],
        [list(row) for row in rows],
        len(rows),
        {
            "the last rows are the table of KIP-150": (
                {key: json.loads(value) for key, value in rows} == expected
            ),
            "after its first item a customer has only that": (
                json.loads(dict(first)["1"]) == {"cart": [1], "purchases": [], "wishlist": []}
            ),
        },
        {},
    )


def kip_557(demo: Demo) -> Part:
    """Forwards of a source table what changes."""
    demo.produce("source_table", ("A", "1"), ("B", "2"), ("A", "1"))
    text = demo.start("kip_557")
    dropped = demo.dropped("kip_557")
    demo.produce("source_table", ("B", "3"), ("A", "1"))
    demo.resume("kip_557")
    rows = demo.records("changes")
    return Part(
        "KIP-557: a source table forwards only what changes",
        text,
        ["key", "value"],
        [list(row) for row in rows],
        len(rows),
        {"each change once": sorted(rows) == [("A", "1"), ("B", "2"), ("B", "3")]},
        {
            "records in the source topic": len(demo.records("source_table")),
            "idempotent updates dropped": dropped + demo.dropped("kip_557"),
        },
    )


def kip_99(demo: Demo) -> Part:
    """Joins purchases with products, of which one changes, and customers."""
    demo.produce("product", ("p1", '{"name":"cup","price":4}'), ("p2", '{"name":"pot","price":20}'))
    demo.produce(
        "customer",
        ("c1", '{"name":"Ada","address":"Rome"}'),
        ("c2", '{"name":"Bob","address":"Oslo"}'),
    )
    demo.produce(
        "purchase",
        ("1", '{"account_id":"c1","product_id":"p1"}'),
        ("2", '{"account_id":"c2","product_id":"p2"}'),
    )
    text = demo.start("kip_99")
    demo.produce("product", ("p1", '{"name":"cup","price":5}'))
    demo.refresh("product")
    demo.resume("kip_99")
    before = len(demo.records("invoice"))
    demo.produce("purchase", ("3", '{"account_id":"c2","product_id":"p1"}'))
    demo.resume("kip_99")
    rows = sorted(demo.records("invoice"))
    prices = [json.loads(value)["price"] for _, value in rows]
    return Part(
        "KIP-99: purchases become invoices; the price of the cup changes before the third",
        text,
        ["purchase", "invoice"],
        [list(row) for row in rows],
        len(rows),
        {
            "a new price emits nothing": before == 2,
            "the next purchase has it": prices == [4, 20, 5],
            "no shuffle and no broadcast in a micro-batch": "Exchange" not in demo.plan("kip_99"),
        },
        {},
    )


def real_time(demo: Demo) -> Part:
    """Counts clicks, which come one by one, in real-time mode and in micro-batches."""
    demo.create_topics("clicks", "soon", "later")
    text = demo.run("real_time")
    clicks = 6
    for number in range(1, clicks + 1):
        demo.produce("clicks", ("ada", ""))
        for topic in ("soon", "later"):
            demo.await_records(topic, number)
    for query in ("real_time", "micro_batches"):
        demo.stop(query)
    # the first answers wait for the compilation of the operators
    sent, *answers = (demo.times(topic)[1:] for topic in ("clicks", "soon", "later"))
    soon, later = (
        [answer - at for at, answer in zip(sent, times, strict=True)] for times in answers
    )
    return Part(
        "TRIGGER REAL TIME: from the sending of a click until its answer is sent",
        text,
        ["click", "real time, ms", "micro-batches, ms"],
        [list(row) for row in zip(range(2, clicks + 1), soon, later, strict=True)],
        clicks - 1,
        {"both count the same": demo.records("soon") == demo.records("later")},
        {
            "median in real time, ms": statistics.median(soon),
            "median in micro-batches, ms": statistics.median(later),
        },
    )


def run(say: Callable[[str], None]) -> Report:
    """Runs the examples with a broker and a session of their own.

    Args:
        say: is told what runs next.

    Raises:
        SystemExit: if the jars of the broker cannot be fetched.
        EddylineError: EDDYLINE_ENVIRONMENT.KAFKA_JARS_MISSING if those of the connector cannot.
    """
    say("Fetching the jars of the broker and of the connector, once…")
    if reason := fetch_jars():
        raise SystemExit(f"make demo-kafka: {reason}.")
    jars = connector_jars()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
        say("Starting a broker…")
        broker = Broker(folder)
        stack.callback(broker.stop)
        broker.start()
        say("Starting Spark…")
        spark = local_session(
            "local[8]",  # all tasks of a query in real-time mode run at once, beside others
            **{
                "spark.driver.extraClassPath": os.pathsep.join(map(str, jars)),
                # half of the time of so short a session would go into compiling with C2
                "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
                "spark.sql.shuffle.partitions": "2",
                "spark.sql.warehouse.dir": f"{folder}/warehouse",
                "spark.sql.streaming.checkpointLocation": f"{folder}/checkpoints",
                "spark.eddyline.globalTable.snapshotLocation": f"{folder}/snapshots",
            },
        )
        stack.callback(spark.stop)
        demo = Demo(spark, broker)
        parts: list[Part] = []
        examples = {
            "KIP-150": kip_150,
            "KIP-557": kip_557,
            "KIP-99": kip_99,
            "real-time mode": real_time,
        }
        for name, part in examples.items():
            say(f"Part {len(parts) + 1} of {len(examples)}: {name}…")
            parts.append(part(demo))
        return Report(parts)


def main() -> None:
    """Prints the report; the exit code is 1 if a check failed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the broker is stopped then, too
    try:
        with progress("Looking for jars…") as line:
            report = run(line.update)
    except EddylineError as error:
        raise SystemExit(f"make demo-kafka: {error}") from error
    if "--json" in sys.argv:
        print(json.dumps(report.as_dict(), indent=2))
    else:
        report.print(Console())
    raise SystemExit(0 if report.ok else 1)


if __name__ == "__main__":
    main()
