"""`eddyline doctor`, which also runs where the packages of the other commands are missing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from eddyline.cli.session import unchecked_session
from eddyline.doctor import Finding, examine, examine_server, report_as_json, report_as_text
from eddyline.doctor.probes import Ask
from eddyline.jvm import jdbc_connection


def doctor_options() -> argparse.ArgumentParser:
    """Returns the parser of the command's options."""
    found = argparse.ArgumentParser(
        prog="eddyline doctor",
        description="Check by real statements that Python, Java, Spark and the jar work together. "
        "Says what to do about each fault. Exits with status 1 if there is one; warnings, marked "
        "with !, do not count.",
        allow_abbrev=False,
    )
    add = found.add_argument
    add("--remote", metavar="URL", help="Check a Spark Connect server: sc://host:port.")
    add("--jdbc", metavar="URL", help="Check a Thrift server: jdbc:hive2://host:port.")
    add(
        "--conf",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=_pair,
        help="A setting of Spark; repeatable.",
    )
    add(
        "--as-is", action="store_true", help="Leave the settings as they are, as spark-submit does."
    )
    add("--json", action="store_true", help="Print the report as JSON.")
    return found


def run_doctor(arguments: Sequence[str]) -> int:
    """Prints the doctor's report; returns the exit status.

    Args:
        arguments: the options of `eddyline doctor`.
    """
    options = doctor_options()
    given = options.parse_args(arguments)
    if (given.remote or given.jdbc) and (given.conf or given.as_is):
        options.error("--conf and --as-is are about a session of its own, not a server.")
    if given.remote and given.jdbc:
        options.error("--remote and --jdbc name two servers; check one at a time.")
    if sys.stderr.isatty():
        print("Starting Spark…", file=sys.stderr)
    found = list(_findings(given))
    print(report_as_json(found) if given.json else report_as_text(found))
    return int(not all(finding.ok for finding in found))


def _findings(given: argparse.Namespace) -> Iterator[Finding]:
    """Returns the findings about a server, or about this installation."""
    if given.remote:
        return examine_server(lambda: _connect(given.remote))
    if given.jdbc:
        return examine_server(lambda: jdbc_connection(given.jdbc))
    return examine(dict(given.conf), as_is=given.as_is)


def _pair(text: str) -> tuple[str, str]:
    """Returns the key and the value of a setting."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE.")
    return key, value


@contextmanager
def _connect(address: str) -> Iterator[Ask]:
    with unchecked_session(address) as spark:
        yield lambda sql: [tuple(row) for row in spark.sql(sql).collect()]
