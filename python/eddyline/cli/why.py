"""The command `eddyline why`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eddyline.atomicfile import check_writable, replaced
from eddyline.cli.options import settings_option
from eddyline.cli.runner import cancellable, progress
from eddyline.cli.session import open_session
from eddyline.cli.texts import FILE, PATH, only_one
from eddyline.lowering.statements import statements_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@click.command()
@click.option("-e", "--execute", "text", help="The statements, the last of which is the query.")
@click.option("-f", "--file", "path", type=PATH, help=FILE)
@click.option("--svg", "form", flag_value="svg", help="Draw the physical plan as an SVG picture.")
@click.option("--html", "form", flag_value="html", help="Write a page: the picture and the report.")
@click.option("--stock", is_flag=True, help="Draw Spark's plan without eddyline beside it.")
@click.option("--run", "runs", is_flag=True, help="Run the query first, so that it has counts.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; standard output by default.",
)
@click.option("--remote", metavar="URL", help="Ask a Spark Connect server; it draws no picture.")
@click.option("--master", default="local[2]", show_default=True, help="Master URL of Spark.")
@settings_option
def why(
    *,
    text: str | None,
    path: Path | None,
    form: str | None,
    stock: bool,
    runs: bool,
    output: Path | None,
    remote: str | None,
    master: str,
    conf: dict[str, str],
) -> None:
    """Say what became of each clause of a query, or draw its physical plan.

    The statements before the last one are run. Pictures need `eddyline[picture]`, and neither a
    browser nor a network.
    """
    from eddyline.report import why as report_of

    if stock and form is None:
        raise click.UsageError("--stock needs --svg or --html.")
    statements = statements_of(only_one(text, path))
    if not statements:
        raise click.UsageError("The text has no statement.")
    if output is not None:
        check_writable(output)

    def shown(spark: SparkSession) -> str:
        *before, query = [statement.text for statement in statements]
        for statement in before:
            spark.sql(statement)
        frame = spark.sql(query)
        if runs:
            frame.collect()
        report = report_of(frame)
        drawn = {"svg": report.svg, "html": report.html}
        return f"{report}\n" if form is None else drawn[form](stock=stock)

    with progress("Starting Spark…"), open_session(master, remote, conf) as spark:
        written = cancellable(spark, lambda: shown(spark))
    if output is None:
        click.echo(written, nl=False)
    else:
        with replaced(output) as new:
            new.write_text(written, "utf-8")
