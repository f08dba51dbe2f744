"""The broker of `examples/kafka`, which the tests start too."""

from __future__ import annotations

from examples.kafka.broker import (
    LOGIN,
    PARTITIONS,
    PASSWORD,
    USER,
    Broker,
    connector_jars,
    fetch_jars,
)

__all__ = ["LOGIN", "PARTITIONS", "PASSWORD", "USER", "Broker", "connector_jars", "fetch_jars"]
