"""The table of versions, read from `versions.toml`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class SparkLine:
    """One Spark minor: the release it is tested with, and how well it is supported."""

    minor: str
    pyspark: str
    status: str


@cache
def _table() -> dict[str, Any]:
    text = files("eddyline").joinpath("versions.toml").read_text("utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    return table


def eddyline_version() -> str:
    """The version of this package, equal to the jar's."""
    return str(_table()["eddyline"])


def scala_version() -> str:
    """The Scala that the shim is compiled with, equal to Spark's."""
    return str(_table()["scala"])


def java_version() -> int:
    """The oldest Java that works."""
    return int(_table()["java"])


def spark_lines() -> tuple[SparkLine, ...]:
    """Every Spark minor that has a jar, oldest first."""
    return tuple(
        SparkLine(minor, line["pyspark"], line["status"])
        for minor, line in sorted(_table()["spark"].items())
    )
