"""The table of versions, read from `versions.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class SparkLine:
    """One supported Spark minor version.

    Attributes:
        minor: minor version, such as "4.3".
        pyspark: release of pyspark that the tests run with.
        status: how well it is supported.
        kafka: Maven coordinates of the Kafka connector that fits it, and of what that needs.
    """

    minor: str
    pyspark: str
    status: str
    kafka: tuple[str, ...]


@cache
def _table() -> dict[str, Any]:
    return read_toml("versions.toml")


def read_toml(path: str) -> dict[str, Any]:
    """Returns the contents of a TOML file of this package."""
    table: dict[str, Any] = tomllib.loads(files("eddyline").joinpath(path).read_text("utf-8"))
    return table


def eddyline_version() -> str:
    """Returns the version of this package, which is that of the jar too."""
    return str(_table()["eddyline"])


def scala_version() -> str:
    """Returns the version of Scala that the shim is compiled with, which is Spark's."""
    return str(_table()["scala"])


def java_version() -> int:
    """Returns the oldest major version of Java that works."""
    return int(_table()["java"])


def python_version() -> str:
    """Returns the oldest minor version of Python that the supported pyspark installs on."""
    return str(_table()["python"])


def spark_lines() -> tuple[SparkLine, ...]:
    """Returns every Spark minor version that has a jar, oldest first."""
    return tuple(
        SparkLine(minor, line["pyspark"], line["status"], tuple(line["kafka"]))
        for minor, line in sorted(_table()["spark"].items())
    )
