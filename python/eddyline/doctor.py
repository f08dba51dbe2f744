"""The doctor: checks that Python, Java, Spark and the jar are installed and work together."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from eddyline.java import find_java
from eddyline.kafka import connector
from eddyline.session import check, configure, jar_path
from eddyline.versions import eddyline_version, python_version, spark_lines


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report.

    Attributes:
        name: name of the check.
        ok: whether it passed.
        detail: what was found, or the error.
    """

    name: str
    ok: bool
    detail: str


def package_versions() -> dict[str, str]:
    """Returns versions by name: of eddyline, Python, the platform and the packages in use."""
    versions = {
        "eddyline": eddyline_version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    for package in ("pyspark", "sqlglot", "sqlglotc", "py4j", "click", "rich"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def show_versions() -> None:
    """Prints the versions that a bug report should name."""
    width = max(map(len, package_versions()))
    for name, number in package_versions().items():
        print(f"{name:<{width}}  {number}")


def examine() -> Iterator[Finding]:
    """Checks Python, Java, the jar and a session, in this order; stops at the first failure."""
    yield _python()
    probes: tuple[tuple[str, Callable[[], str]], ...] = (
        ("Java", lambda: " ".join(reversed(find_java()))),
        ("jar", lambda: str(jar_path())),
        ("Kafka connector", _connector),
        ("session", _probe_session),
    )
    for name, probe in probes:
        try:
            yield Finding(name, True, probe())
        except Exception as error:  # the report names whatever is wrong
            yield Finding(name, False, str(error).strip().splitlines()[0])
            return


def _python() -> Finding:
    """Returns whether this Python is new enough for pyspark and eddyline."""
    needed, found = python_version(), platform.python_version()
    ok = sys.version_info >= tuple(map(int, needed.split(".")))
    return Finding("Python", ok, found if ok else f"{found}; pyspark needs {needed} or newer")


def _connector() -> str:
    """Returns which Kafka connector fits each supported Spark."""
    fitting = ", ".join(
        f"{connector(line.minor)[0]} for Spark {line.minor}" for line in spark_lines()
    )
    return f"{fitting}; `eddyline kafka-jars` fetches it"


def report_as_text(findings: list[Finding]) -> str:
    """Returns the findings as lines of plain text, for an installation without rich.

    >>> print(report_as_text([Finding("Python", True, "3.11.7"), Finding("Java", False, "none")]))
    ok  Python  3.11.7
    no  Java    none
    """
    width = max(len(finding.name) for finding in findings)
    return "\n".join(
        f"{'ok' if finding.ok else 'no'}  {finding.name:<{width}}  {finding.detail}"
        for finding in findings
    )


def report_as_json(findings: list[Finding]) -> str:
    """Returns the findings and the versions of the packages as JSON."""
    rows = [asdict(finding) for finding in findings]
    return json.dumps({"versions": package_versions(), "findings": rows}, indent=2)


def _probe_session() -> str:
    from pyspark.sql import SparkSession  # noqa: PLC0415

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = configure(builder.config("spark.log.level", "ERROR")).getOrCreate()
    try:
        check(spark)
        order = spark.conf.get("spark.sql.extensions")
        return f"Spark {spark.version} reads COGROUP; extensions in order: {order}"
    finally:
        spark.stop()
