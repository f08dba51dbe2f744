"""A broker, and a session with Spark's Kafka connector on its class path."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eddyline import EddylineError
from kafka import broker as brokers
from kafka.admin import Admin
from kafka.broker import Broker, fetch_jars
from kafka.topics import Topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def connector_jars() -> list[Path]:
    """Returns the jars of the connector, fetched once; skips the tests where that cannot be."""
    try:
        return brokers.connector_jars()
    except EddylineError as error:
        pytest.skip(f"NO TEST OF KAFKA RUNS: {error}")


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """Yields a broker that runs; skips the tests where its jars cannot be fetched."""
    if reason := fetch_jars():
        pytest.skip(f"NO TEST OF KAFKA RUNS: {reason}")
    broker = Broker(tmp_path_factory.mktemp("broker"))
    try:
        broker.start()
        yield broker
    finally:
        broker.stop()


@pytest.fixture(scope="session")
def spark_settings(spark_settings: None, connector_jars: list[Path]) -> None:
    """Adds the connector to the settings of the suite's session."""
    from pytest_spark.config import SparkConfigBuilder

    conf = SparkConfigBuilder.get()
    path = os.pathsep.join([conf.get("spark.driver.extraClassPath"), *map(str, connector_jars)])
    conf.set("spark.driver.extraClassPath", path)
    # the tasks of a query in real-time mode all run at once, beside those of other queries
    conf.set("spark.master", "local[6]")


@pytest.fixture
def running(broker: Broker, spark: SparkSession, tmp_path: Path) -> Broker:
    """Returns a broker that runs, for a test whose streams have their checkpoints in its folder."""
    spark.conf.set("spark.sql.streaming.checkpointLocation", str(tmp_path / "checkpoints"))
    broker.ensure()
    return broker


@pytest.fixture
def topic(spark: SparkSession, running: Broker, request: pytest.FixtureRequest) -> Topic:
    """Returns a topic of one partition named as the test."""
    name = request.node.originalname.removeprefix("test_")
    topic = Topic(spark, running, f"{name}_{random.getrandbits(32):x}")
    Admin(spark, running).create(topic.name)
    return topic


@pytest.fixture
def make(spark: SparkSession, running: Broker) -> Callable[[str], Topic]:
    """Returns a function that makes a topic of one partition, and its table."""
    salt = f"{random.getrandbits(32):x}"

    def topic(name: str) -> Topic:
        Admin(spark, running).create(f"{name}_{salt}")
        return Topic(spark, running, f"{name}_{salt}").create()

    return topic
