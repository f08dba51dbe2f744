"""The commands of the command line tool `eddyline`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table

from eddyline.cli.session import local_session
from eddyline.doctor import examine, package_versions
from eddyline.errors import EddylineError
from eddyline.lowering import lower
from eddyline.versions import eddyline_version

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FILE = "A file to read the text from."


class _Named(click.ClickException):
    """A named error, shown to the user without a traceback."""

    def show(self, file: Any = None) -> None:
        Console(stderr=True, soft_wrap=True).print(self.message, style="red", markup=False)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(eddyline_version(), prog_name="eddyline")
def eddyline() -> None:
    """Spark SQL extensions from Kafka Streams."""


@eddyline.command()
@click.option("-e", "--execute", "text", help="The statements to run.")
@click.option("-f", "--file", "path", type=click.Path(exists=True, path_type=Path), help=_FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per row.")
@click.option("--master", default="local[2]", show_default=True, help="Master URL of Spark.")
@click.option("--conf", multiple=True, metavar="KEY=VALUE", help="A setting of Spark; repeatable.")
def sql(
    text: str | None, path: Path | None, as_json: bool, master: str, conf: tuple[str, ...]
) -> None:
    """Run SQL statements in a local Spark session and print their rows."""
    from pyspark.errors import PySparkException

    from eddyline.jvm import split_statements

    script = _only_one(text, path)
    try:
        pairs = (setting.partition("=") for setting in conf)
        spark = local_session(master, **{key: value for key, _, value in pairs})
        for statement in split_statements(spark, script):
            _print_rows(spark.sql(statement), as_json)
    except (EddylineError, PySparkException) as error:
        raise _Named(str(error).strip()) from error


@eddyline.command("lower")
@click.option("-e", "--execute", "text", help="The text to lower.")
@click.option("-f", "--file", "path", type=click.Path(exists=True, path_type=Path), help=_FILE)
def lower_command(text: str | None, path: Path | None) -> None:
    """Print the text that Spark parses: every clause as a placeholder call. Needs no Spark."""
    try:
        click.echo(lower(_only_one(text, path)))
    except EddylineError as error:
        raise _Named(str(error)) from error


@eddyline.command()
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def doctor(as_json: bool) -> None:
    """Check by a real statement that Python, Java, Spark and the jar work together.

    Exits with status 1 if they do not.
    """
    findings = list(examine())
    if as_json:
        rows = [finding.__dict__ for finding in findings]
        click.echo(json.dumps({"versions": package_versions(), "findings": rows}, indent=2))
    else:
        table = Table("", "check", "found", box=None)
        for finding in findings:
            mark = "[green]ok[/]" if finding.ok else "[red]no[/]"
            table.add_row(mark, finding.name, finding.detail)
        Console().print(table)
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)


@eddyline.command()
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def demo(as_json: bool) -> None:
    """Run every clause in batch and as streams, checked against plain Spark SQL.

    The data are KIP-150's example and the flights of 2013. Needs `eddyline[demo]`.
    """
    from eddyline.cli.demo import run

    try:
        report = run()
    except EddylineError as error:
        raise _Named(str(error)) from error
    if as_json:
        click.echo(json.dumps(report.as_dict(), indent=2, default=str))
    else:
        report.print(Console())
    if not report.ok:
        raise SystemExit(1)


@eddyline.command()
@click.argument("name")
@click.option("--remote", default="sc://127.0.0.1", show_default=True, help="The Connect server.")
@click.option("--every", default=1.0, show_default=True, help="Seconds between two updates.")
@click.option("--once", is_flag=True, help="Print the current state once and exit.")
def watch(name: str, remote: str, every: float, once: bool) -> None:
    """Show a streaming query of a Spark Connect server until it ends.

    Shows the last micro-batches with their rows, time, updates emitted and dropped, state and
    watermark, and the last error. Needs `pyspark[connect]`.
    """
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    from eddyline.cli.watch import watch as watch_query

    try:
        spark = SparkSession.builder.remote(remote).getOrCreate()
        watch_query(spark, name, Console(), every=every, once=once)
    except (EddylineError, PySparkException) as error:
        raise _Named(str(error).strip()) from error


def _only_one(text: str | None, path: Path | None) -> str:
    if (text is None) == (path is None):
        raise click.UsageError("Give the text by -e, or a file by -f.")
    return path.read_text("utf-8") if path is not None else str(text)


def _print_rows(frame: DataFrame, as_json: bool) -> None:
    if not frame.columns:
        return
    if as_json:
        for row in frame.collect():
            click.echo(json.dumps(row.asDict(recursive=True), default=str))
        return
    table = Table(*frame.columns)
    for row in frame.collect():
        table.add_row(*("NULL" if value is None else str(value) for value in row))
    Console().print(table, markup=False)
