"""Streaming queries in real-time mode: each record is answered when it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from eddyline import streaming_queries
from kafka.broker import Broker
from kafka.topics import Topic
from waiting import eventually

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.since("4.3")

LONG = "TRIGGER REAL TIME 5 MINUTES"
COGROUP = """
    COGROUP STREAM {clicks} AS clicks BY CAST(key AS STRING),
            STREAM {orders} AS orders BY CAST(key AS STRING)
    AGGREGATE count(clicks.*) AS seen, sum(CAST(CAST(orders.value AS STRING) AS INT)) AS paid
    EMIT ON UPDATE
"""


@pytest.fixture
def topics(
    spark: SparkSession, running: Broker, request: pytest.FixtureRequest, salt: str
) -> Callable[[str], Topic]:
    """Returns a function that makes a topic of one partition, and its table."""

    def make(name: str) -> Topic:
        return Topic(spark, running, f"{name}_{salt}").create()

    return make
