"""The checks of this installation and of a server, in their order."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline import archive
from eddyline.doctor.findings import Finding, first_line
from eddyline.doctor.probes import Ask, examine_session
from eddyline.errors import EddylineError
from eddyline.java import find_java
from eddyline.jvm import jars_on_path, started_with
from eddyline.kafka import connector
from eddyline.session import check_pyspark, jar_path, settings, spark_defaults, spark_folder
from eddyline.versions import java_versions, python_version, spark_lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def examine(conf: Mapping[str, str] | None = None, *, as_is: bool = False) -> Iterator[Finding]:
    """Checks Python, pyspark, Java, the jar and a session; stops at the first failure.

    Args:
        conf: settings of the session beside those of `spark-defaults.conf`.
        as_is: whether to leave the settings as they are, as spark-submit does, and not to add
            those that `configure` adds.
    """
    yield _python()
    probes: tuple[tuple[str, Callable[[], str]], ...] = (
        ("pyspark", check_pyspark),
        ("Java", _java),
        ("jar", lambda: str(jar_path())),
        ("Kafka connector", _connector),
    )
    for name, probe in probes:
        try:
            yield Finding(name, True, probe())
        except Exception as error:  # the report names whatever is wrong
            yield Finding(name, False, first_line(error))
            return
    given = {**spark_defaults(), **(conf or {})}
    if not as_is:
        given |= settings(given)
    yield from _session(given, has_archive=not as_is)


def examine_server(connection: Callable[[], AbstractContextManager[Ask]]) -> Iterator[Finding]:
    """Checks a running server.

    Args:
        connection: function that connects to it, for as long as the checks take.
    """
    try:
        with connection() as ask:
            yield from examine_session(ask)
    except Exception as error:  # the report names whatever is wrong
        yield Finding("server", False, first_line(error))


def _python() -> Finding:
    """Returns whether this Python is new enough for pyspark and eddyline."""
    needed, found = python_version(), platform.python_version()
    ok = sys.version_info >= tuple(map(int, needed.split(".")))
    return Finding("Python", ok, found if ok else f"{found}; pyspark needs {needed} or newer")


def _java() -> str:
    """Returns the version and place of Java, and which ones are tested."""
    path, version = find_java()
    *others, last = map(str, java_versions())
    return f"{version} {path}; {', '.join(others)} and {last} are tested"


def _connector() -> str:
    """Returns which Kafka connector fits each supported Spark."""
    fitting = ", ".join(
        f"{connector(line.minor)[0]} for Spark {line.minor}" for line in spark_lines()
    )
    return f"{fitting}; `eddyline kafka-jars` fetches it"


def _archive(spark: SparkSession, conf: Mapping[str, str]) -> Finding:
    """Says whether the session's JVM uses an archive of classes, and why not."""
    try:
        wanted = archive.archive_for(conf, _home())
    except EddylineError as error:
        return Finding("archive", True, f"None is used: {error.parameters['reason']}.")
    path, failed = wanted.find(), wanted.failure
    if path is None:
        reason = (
            failed.read_text("utf-8").rstrip(".") if os.path.exists(failed) else "none is there"
        )
        return Finding("archive", True, f"None is used: {reason}.", "Run `eddyline warm`.")
    if refusal := archive.refusal(*started_with(spark)):
        return Finding("archive", True, f"Java refuses {path}: {refusal}", f"Delete {path}.")
    found = path.stat()
    since = datetime.fromtimestamp(found.st_mtime).isoformat(" ", "minutes")
    return Finding("archive", True, f"{path}, {found.st_size >> 20} MiB, since {since}")


def _home() -> Path:
    home = spark_folder()
    assert home is not None
    return home


def _session(conf: Mapping[str, str], *, has_archive: bool) -> Iterator[Finding]:
    """Checks a local session of its own, whose JVM may start with an archive of classes."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    quiet = {"spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}
    used = archive.used(conf, _home()) if has_archive else {}
    for key, value in {**quiet, **conf, **used}.items():
        builder.config(key, value)
    try:
        spark = builder.getOrCreate()
    except Exception as error:  # the report names whatever is wrong
        yield Finding("session", False, first_line(error))
        return
    try:
        jars = jars_on_path(spark)
        if len(jars) > 1:
            yield Finding(
                "class path",
                False,
                f"Spark finds more than one eddyline: {', '.join(jars)}.",
                "Remove all but one of them from Spark's folder `jars` and from the settings.",
            )
        if has_archive:
            yield _archive(spark, conf)
        yield from examine_session(lambda sql: [tuple(row) for row in spark.sql(sql).collect()])
    except Exception as error:  # the report names whatever is wrong
        yield Finding("session", False, first_line(error))
    finally:
        spark.stop()
