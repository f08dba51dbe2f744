"""`eddyline doctor`: what is wrong with an installation or a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from eddyline.cli.options import settings_option
from eddyline.cli.runner import progress
from eddyline.cli.session import unchecked_session
from eddyline.doctor import Finding, examine, examine_server, report_as_json
from eddyline.doctor.probes import Ask
from eddyline.jvm import jdbc_connection

_COLOURS = {"ok": "green", "!": "yellow", "no": "red"}


@click.command()
@click.option("--remote", metavar="URL", help="Check a Spark Connect server: sc://host:port.")
@click.option("--jdbc", metavar="URL", help="Check a Thrift server: jdbc:hive2://host:port.")
@settings_option
@click.option("--as-is", is_flag=True, help="Leave the settings as they are, as spark-submit does.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def doctor(
    remote: str | None, jdbc: str | None, conf: Mapping[str, str], as_is: bool, as_json: bool
) -> None:
    """Check by real statements that Python, Java, Spark and the jar work together.

    Says what to do about each fault. Exits with status 1 if there is one; warnings, marked with !,
    do not count.
    """
    with progress("Starting Spark…"):
        findings = list(_findings(remote, jdbc, conf, as_is))
    if as_json:
        click.echo(report_as_json(findings))
    else:
        table = Table("", "check", Column("found", overflow="fold"), box=None)
        for finding in findings:
            mark = f"[{_COLOURS[finding.mark]}]{finding.mark}[/]"
            table.add_row(mark, finding.name, escape(finding.text))
        Console().print(table)
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)


def _findings(
    remote: str | None, jdbc: str | None, conf: Mapping[str, str], as_is: bool
) -> Iterator[Finding]:
    """Returns the findings about a server, or about this installation."""
    if (remote or jdbc) and (conf or as_is):
        raise click.UsageError("--conf and --as-is are about a session of its own, not a server.")
    if remote and jdbc:
        raise click.UsageError("--remote and --jdbc name two servers; check one at a time.")
    if remote:
        return examine_server(lambda: _connect(remote))
    if jdbc:
        return examine_server(lambda: jdbc_connection(jdbc))
    return examine(conf, as_is=as_is)


@contextmanager
def _connect(address: str) -> Iterator[Ask]:
    with unchecked_session(address) as spark:
        yield lambda sql: [tuple(row) for row in spark.sql(sql).collect()]
