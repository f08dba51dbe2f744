"""What only Kafka's own clients do to topics, by py4j."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kafka.broker import Broker
    from kafka.topics import Record

_STRINGS = "org.apache.kafka.common.serialization.StringSerializer"


class Admin:
    """Creates, changes and deletes topics, and writes transactions."""

    def __init__(self, spark: SparkSession, broker: Broker) -> None:
        assert spark._jvm is not None
        self._jvm: Any = spark._jvm
        self._kafka = self._jvm.org.apache.kafka
        self._servers = {"bootstrap.servers": broker.address}

    def create(self, topic: str, partitions: int = 1, **settings: str) -> None:
        """Creates a topic; the names of its settings have underscores in place of dots."""
        optional = self._jvm.java.util.Optional
        made = self._kafka.clients.admin.NewTopic(topic, optional.of(partitions), optional.empty())
        made.configs({name.replace("_", "."): value for name, value in settings.items()})
        self._do(lambda admin: admin.createTopics([made]))
        self._await_partitions(topic, partitions)

    def delete(self, topic: str) -> None:
        """Deletes a topic."""
        self._do(lambda admin: admin.deleteTopics([topic]))
        self._await_partitions(topic, 0)

    def add_partitions(self, topic: str, number: int) -> None:
        """Makes a topic have this number of partitions."""
        more = self._kafka.clients.admin.NewPartitions.increaseTo(number)
        self._do(lambda admin: admin.createPartitions({topic: more}))
        self._await_partitions(topic, number)

    def count(self, topic: str) -> int:
        """Returns the number of records in the first partition, without a job of Spark."""
        partition = self._kafka.common.TopicPartition(topic, 0)
        latest = self._kafka.clients.admin.OffsetSpec.latest()
        admin = self._kafka.clients.admin.AdminClient.create(self._servers)
        try:
            return int(admin.listOffsets({partition: latest}).all().get().get(partition).offset())
        finally:
            admin.close()

    def delete_records(self, topic: str, before: int) -> None:
        """Deletes the records of the first partition before an offset."""
        partition = self._kafka.common.TopicPartition(topic, 0)
        # py4j finds no static method that shares its name with another one
        name = "org.apache.kafka.clients.admin.RecordsToDelete"
        made = next(
            method
            for method in self._jvm.java.lang.Class.forName(name).getMethods()
            if method.getName() == "beforeOffset" and method.getParameterCount() == 1
        )
        arguments = self._jvm.java.util.ArrayList([self._jvm.java.lang.Long.valueOf(before)])
        offset = made.invoke(None, arguments.toArray())
        self._do(lambda admin: admin.deleteRecords({partition: offset}))

    def transaction(self, topic: str, records: Iterable[Record], *, commits: bool) -> None:
        """Writes records in a transaction, and commits or aborts it."""
        settings = {
            **self._servers,
            "transactional.id": topic,
            "key.serializer": _STRINGS,
            "value.serializer": _STRINGS,
        }
        producer = self._kafka.clients.producer.KafkaProducer(settings)
        try:
            producer.initTransactions()
            producer.beginTransaction()
            for key, value in records:
                producer.send(self._kafka.clients.producer.ProducerRecord(topic, key, value))
            producer.flush()
            if commits:
                producer.commitTransaction()
            else:
                producer.abortTransaction()
        finally:
            producer.close()
        # the broker answers before readers see it, and the next producer of this id after that
        following = self._kafka.clients.producer.KafkaProducer(settings)
        try:
            following.initTransactions()
        finally:
            following.close()

    def _await_partitions(self, topic: str, number: int) -> None:
        """Waits until the broker knows it, which learns it from the controller after the client."""
        eventually(lambda: self._partitions(topic) == number)

    def _partitions(self, topic: str) -> int:
        """Returns how many partitions a topic has for the broker, 0 if there is none."""
        admin = self._kafka.clients.admin.AdminClient.create(self._servers)
        try:
            found = admin.describeTopics([topic]).allTopicNames().get().get(topic)
            return int(found.partitions().size())
        except Py4JJavaError as error:
            if "UnknownTopicOrPartitionException" not in str(error.java_exception):
                raise
            return 0
        finally:
            admin.close()

    def _do(self, request: Callable[[Any], Any]) -> None:
        admin = self._kafka.clients.admin.AdminClient.create(self._servers)
        try:
            request(admin).all().get()
        finally:
            admin.close()
