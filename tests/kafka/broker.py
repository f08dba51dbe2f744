"""The broker of `examples/kafka`, which the tests start too."""

from __future__ import annotations

from examples.kafka.broker import (
    JARS,
    LOGIN,
    PARTITIONS,
    PASSWORD,
    USER,
    Broker,
    connector_jars,
    fetch_jars,
)

__all__ = [
    "JARS",
    "LOGIN",
    "PARTITIONS",
    "PASSWORD",
    "USER",
    "Broker",
    "connector_jars",
    "fetch_jars",
]
