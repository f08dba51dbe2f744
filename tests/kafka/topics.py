"""Topics of the broker: tables over them, what tests write to them, and what stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafka.broker import Broker

Record = tuple[str | None, str | None]


@dataclass(frozen=True)
class Event:
    """A record with a time.

    Attributes:
        key: its key.
        value: its value; None makes it a tombstone.
        milliseconds: its timestamp since 1970; None for the time of writing.
        headers: its headers.
    """

    key: str | None
    value: str | None
    milliseconds: int | None
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Topic:
    """A topic, with a table of the same name over it.

    Attributes:
        spark: a session.
        broker: the broker.
        name: the name of the topic and of the table.
    """

    spark: SparkSession
    broker: Broker
    name: str

    def create(self, *options: str) -> Topic:
        """Creates the table, whose streams begin with the first record; with more options."""
        self.spark.sql(self.definition(*options))
        return self

    def definition(self, *options: str) -> str:
        """Returns the statement that creates the table."""
        given = [
            f"'kafka.bootstrap.servers' '{self.broker.address}'",
            f"subscribe '{self.name}'",
            "startingOffsets 'earliest'",
        ]
        return f"CREATE TABLE {self.name} USING kafka OPTIONS ({', '.join([*given, *options])})"

    def write(self, records: Iterable[Record], partition: str = "0") -> None:
        """Appends records, each a key and a value, in their order.

        Args:
            records: the records.
            partition: an expression over `key` and `value` that gives the partition of each.
        """
        rows = self.spark.createDataFrame(list(records), "key STRING, value STRING").coalesce(1)
        (
            rows.selectExpr("key", "value", f"int({partition}) AS partition")
            .write.format("kafka")
            .option("kafka.bootstrap.servers", self.broker.address)
            .option("topic", self.name)
            .save()
        )

    def write_alone(self, records: Iterable[Record]) -> None:
        """Appends records by a producer that ends with it.

        Spark's own asks for its topics now and then, and so makes one again that was deleted.
        """
        self.produce(Event(key, value, None, {}) for key, value in records)

    def produce(self, events: Iterable[Event]) -> None:
        """Appends records with their timestamps and headers, as a producer other than Spark does.

        They go to the first partition. Spark's own writer sets no timestamp.
        """
        assert self.spark._jvm is not None
        clients = self.spark._jvm.org.apache.kafka.clients.producer
        text = "org.apache.kafka.common.serialization.StringSerializer"
        settings = self.spark._jvm.java.util.Properties()
        settings.setProperty("bootstrap.servers", self.broker.address)
        settings.setProperty("key.serializer", text)
        settings.setProperty("value.serializer", text)
        producer = clients.KafkaProducer(settings)
        try:
            for event in events:
                record = clients.ProducerRecord(
                    self.name, 0, event.milliseconds, event.key, event.value
                )
                for name, value in event.headers.items():
                    record.headers().add(name, value.encode())
                producer.send(record)
        finally:
            producer.close()  # sends what is not sent yet

    def records(self) -> list[Record]:
        """Returns all records, those of a partition in the order of their offsets."""
        frame = (
            self.spark.read.format("kafka")
            .option("kafka.bootstrap.servers", self.broker.address)
            .option("subscribe", self.name)
            .load()
        )
        text = frame.selectExpr("partition", "offset", "string(key) AS key", "string(value) AS v")
        rows = sorted(text.collect(), key=lambda row: (row.partition, row.offset))
        return [(row.key, row.v) for row in rows]
