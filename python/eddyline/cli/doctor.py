"""`eddyline doctor`: what is wrong with an installation or a server."""

from __future__ import annotations

from collections.abc import Mapping

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from eddyline.cli.options import settings_option
from eddyline.cli.plaindoctor import findings
from eddyline.cli.runner import progress
from eddyline.doctor import report_as_json

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
    try:
        checks = findings(remote, jdbc, conf, as_is)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    with progress("Starting Spark…"):
        found = list(checks)
    if as_json:
        click.echo(report_as_json(found))
    else:
        table = Table("", "check", Column("found", overflow="fold"), box=None)
        for finding in found:
            mark = f"[{_COLOURS[finding.mark]}]{finding.mark}[/]"
            table.add_row(mark, finding.name, escape(finding.text))
        Console().print(table)
    if not all(finding.ok for finding in found):
        raise SystemExit(1)
