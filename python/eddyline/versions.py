"""The table of versions, read from `versions.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import tomli

from eddyline.errors import EddylineError


@dataclass(frozen=True)
class SparkLine:
    """One supported Spark minor version.

    Attributes:
        minor: minor version, such as "4.3".
        oldest: the oldest release of pyspark that works.
        pyspark: release of pyspark that the tests run with.
        status: how well it is supported.
        kafka: Maven coordinates of the Kafka connector that fits it, and of what that needs.
    """

    minor: str
    oldest: str
    pyspark: str
    status: str
    kafka: tuple[str, ...]


@dataclass(frozen=True)
class OtherExtension:
    """Another extension of Spark that eddyline is tested with.

    Attributes:
        name: how it calls itself.
        spark: the Spark minor version that it has a release for, such as "4.2".
        jars: Maven coordinates.
        extension: its class for `spark.sql.extensions`.
        settings: what an application sets to have it, beside folders and sizes.
    """

    name: str
    spark: str
    jars: tuple[str, ...]
    extension: str
    settings: dict[str, str]


@cache
def read_toml(path: str) -> Mapping[str, Any]:
    """Returns the contents of a TOML file of this package."""
    # in an archive, read_text of Python 3.10 takes the encoding by name only
    text = files("eddyline").joinpath(path).read_text(encoding="utf-8")
    table: Mapping[str, Any] = tomli.loads(text)
    return table


def _table() -> Mapping[str, Any]:
    return read_toml("versions.toml")


def eddyline_version() -> str:
    """Returns the version of this package, which is that of the jar too."""
    return str(_table()["eddyline"])


def scala_version() -> str:
    """Returns the version of Scala that the newest Spark has, by which its jar is compiled."""
    return str(_table()["scala"])


def java_versions() -> tuple[int, ...]:
    """Returns the major versions of Java that are tested, of which the first is the oldest."""
    return tuple(_table()["java"])


def python_version() -> str:
    """Returns the oldest minor version of Python that a supported pyspark installs on."""
    return str(_table()["python"])


def jar_name(coordinate: str) -> str:
    """Returns the name of the file of a Maven coordinate.

    >>> jar_name("org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0")
    'spark-sql-kafka-0-10_2.13-4.3.0.jar'
    """
    _, name, version = coordinate.split(":")
    return f"{name}-{version}.jar"


def spark_lines() -> tuple[SparkLine, ...]:
    """Returns every Spark minor version that has a jar, oldest first."""
    return tuple(
        SparkLine(minor, line["oldest"], line["pyspark"], line["status"], tuple(line["kafka"]))
        for minor, line in sorted(_table()["spark"].items())
    )


def spark_line(minor: str) -> SparkLine:
    """Returns the line of a Spark minor version.

    Raises:
        EddylineError: EDDYLINE_UNSUPPORTED_SPARK_VERSION if it is not supported.
    """
    lines = {line.minor: line for line in spark_lines()}
    if minor not in lines:
        raise EddylineError(
            "EDDYLINE_UNSUPPORTED_SPARK_VERSION", supported=", ".join(lines), found=minor
        )
    return lines[minor]


def table_formats() -> dict[str, OtherExtension]:
    """Returns the table formats that are tested, by the word after USING."""
    return _other_extensions("formats")


def native_engines() -> dict[str, OtherExtension]:
    """Returns the native engines that are tested."""
    return _other_extensions("engines")


def _other_extensions(kind: str) -> dict[str, OtherExtension]:
    return {
        name: OtherExtension(**{**entry, "jars": tuple(entry["jars"])})
        for name, entry in sorted(_table()[kind].items())
    }


def is_older(version: str, minor: str) -> bool:
    """Whether a Spark version is older than a minor version.

    >>> is_older("4.2.1", "4.3"), is_older("4.10.0", "4.3")
    (True, False)
    """
    first, second = (tuple(map(int, text.split(".")[:2])) for text in (version, minor))
    return first < second


def is_newest(version: str) -> bool:
    """Whether a Spark version is not older than the newest supported minor version."""
    return not is_older(version, spark_lines()[-1].minor)
