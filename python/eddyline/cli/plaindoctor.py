"""`eddyline doctor` where click or rich is missing, and what it checks with them too."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from eddyline.cli.session import unchecked_session
from eddyline.doctor import Finding, examine, examine_server, report_as_json, report_as_text
from eddyline.doctor.probes import Ask
from eddyline.jvm import jdbc_connection


def run(arguments: Sequence[str]) -> int:
    """Prints the doctor's report; returns the exit status.

    Args:
        arguments: the options of `eddyline doctor`.
    """
    parser = argparse.ArgumentParser(prog="eddyline doctor", allow_abbrev=False)
    parser.add_argument("--remote", metavar="URL")
    parser.add_argument("--jdbc", metavar="URL")
    parser.add_argument("--conf", metavar="KEY=VALUE", action="append", default=[], type=_pair)
    parser.add_argument("--as-is", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    try:
        checks = findings(given.remote, given.jdbc, dict(given.conf), given.as_is)
    except ValueError as error:
        parser.error(str(error))
    found = list(checks)
    print((report_as_json if given.json else report_as_text)(found))
    return int(not all(finding.ok for finding in found))


def findings(
    remote: str | None, jdbc: str | None, conf: Mapping[str, str], as_is: bool
) -> Iterator[Finding]:
    """Returns the findings about a server, or about this installation.

    Raises:
        ValueError: if the options do not go together.
    """
    if (remote or jdbc) and (conf or as_is):
        raise ValueError("--conf and --as-is are about a session of its own, not a server.")
    if remote and jdbc:
        raise ValueError("--remote and --jdbc name two servers; check one at a time.")
    if remote:
        return examine_server(lambda: _connect(remote))
    if jdbc:
        return examine_server(lambda: jdbc_connection(jdbc))
    return examine(conf, as_is=as_is)


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
