"""The doctor: checks that Python, Java, Spark and the jar are installed and work together."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from eddyline.errors import EddylineError
from eddyline.session import check, configure, jar_path
from eddyline.versions import eddyline_version, java_version


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


def find_java() -> tuple[str, str]:
    """Returns the path of the Java that Spark will start, and its version.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.JAVA_MISSING if there is none, or it is too old.
    """
    required = java_version()
    home = os.environ.get("JAVA_HOME")
    path = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if path is None or not os.path.exists(path):
        reason = f"JAVA_HOME is {home}, which has no bin/java" if home else "no java on the path"
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.JAVA_MISSING", reason=reason, required=str(required)
        )
    text = subprocess.run([path, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', text)
    if found is None or int(found[2]) < required:
        shown = found[1] if found else "of an unknown version"
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.JAVA_MISSING",
            reason=f"{path} is Java {shown}",
            required=str(required),
        )
    return path, found[1]


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
    yield Finding("Python", sys.version_info >= (3, 10), f"{platform.python_version()}")
    probes: tuple[tuple[str, Callable[[], str]], ...] = (
        ("Java", lambda: " ".join(reversed(find_java()))),
        ("jar", lambda: str(jar_path())),
        ("session", _probe_session),
    )
    for name, probe in probes:
        try:
            yield Finding(name, True, probe())
        except Exception as error:  # the report names whatever is wrong
            yield Finding(name, False, str(error).strip().splitlines()[0])
            return


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
