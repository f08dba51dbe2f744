"""The commands of the command line tool `eddyline`."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

import click
from rich.console import Console

from eddyline.cli.demo import demo
from eddyline.cli.doctor import doctor_options, run_doctor
from eddyline.cli.fmt import fmt
from eddyline.cli.launch import LAUNCHERS
from eddyline.cli.lint import lint
from eddyline.cli.options import Commands, settings_option
from eddyline.cli.output import FORMATS
from eddyline.cli.runner import Runner, progress
from eddyline.cli.serve import serve
from eddyline.cli.session import open_session, remote_session
from eddyline.cli.texts import FILE, PATH, only_one
from eddyline.cli.warm import warm
from eddyline.cli.why import why
from eddyline.lowering import lower_sql
from eddyline.lowering.statements import statements_of
from eddyline.session import jar_path
from eddyline.standalone import write_standalone_jar
from eddyline.versions import eddyline_version


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(eddyline_version(), prog_name="eddyline")
def eddyline() -> None:
    """Spark SQL extensions from Kafka Streams."""


@eddyline.command()
@click.option("-e", "--execute", "text", help="The statements to run.")
@click.option("-f", "--file", "path", type=PATH, help=FILE)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    metavar="FORMAT",
    help=f"How rows are printed: {', '.join(FORMATS)}; as a table by default.",
)
@click.option("--json", "as_json", is_flag=True, help="Short form of --format json.")
@click.option("--follow", is_flag=True, help="Print the rows of queries over streams as they come.")
@click.option(
    "--available-now", is_flag=True, help="With --follow, stop after the rows that are there."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    metavar="ROWS",
    help="With --follow, stop after so many rows.",
)
@click.option("--remote", metavar="URL", help="Run on a Spark Connect server: sc://host:port.")
@click.option("--master", default="local[2]", show_default=True, help="Master URL of Spark.")
@settings_option
def sql(
    *,
    text: str | None,
    path: Path | None,
    form: str | None,
    as_json: bool,
    follow: bool,
    available_now: bool,
    limit: int | None,
    remote: str | None,
    master: str,
    conf: dict[str, str],
) -> None:
    """Run SQL statements and print their rows.

    Without -e and -f the statements come from standard input, or are typed at a prompt. They run in
    a local Spark session or, with --remote, on a Spark Connect server. The first error ends the run
    with status 1.
    """
    prompts = text is None and path is None and sys.stdin.isatty()
    statements = [] if prompts else statements_of(only_one(text, path))
    if (available_now or limit) and not (follow or prompts):
        raise click.UsageError("--available-now and --limit need --follow.")
    form = "json" if as_json else form or "table"
    with (
        progress("Starting Spark…") as line,
        open_session(master, remote, conf) as spark,
    ):
        line.stop()
        runner = Runner(spark, form, follow or prompts, available_now, limit)
        if prompts:
            from eddyline.cli.repl import run_prompt

            run_prompt(runner)
        for statement in statements:
            runner.run(statement)


@eddyline.command("lower")
@click.option("-e", "--execute", "text", help="The text to lower.")
@click.option("-f", "--file", "path", type=PATH, help=FILE)
def lower_command(text: str | None, path: Path | None) -> None:
    """Print the text that Spark parses: every clause as a placeholder call. Needs no Spark."""
    click.echo(lower_sql(only_one(text, path)))


@eddyline.command()
@click.argument("name")
@click.option("--remote", default="sc://127.0.0.1", show_default=True, help="The Connect server.")
@click.option(
    "--every",
    type=click.FloatRange(0.1),
    default=2.0,
    show_default=True,
    help="Seconds between two updates.",
)
@click.option("--once", is_flag=True, help="Print the current state once and exit.")
def watch(name: str, remote: str, every: float, once: bool) -> None:
    """Show a streaming query of a Spark Connect server until it ends.

    Shows the last micro-batches with their rows, time, updates emitted and dropped, state and
    watermark, and the last error. Needs `eddyline[connect]`.
    """
    from eddyline.cli.watch import watch as watch_query

    with progress("Connecting…"):
        spark = remote_session(remote, {})
    watch_query(spark, name, Console(), every=every, once=once)


@eddyline.command()
@click.option(
    "--spark-submit",
    "launcher",
    flag_value="spark-submit",
    default=True,
    help="Options of a launcher such as spark-submit; the default.",
)
@click.option("--defaults", "launcher", flag_value="defaults", help="Lines of spark-defaults.conf.")
@click.option("--python", "launcher", flag_value="python", help="A builder in Python.")
@click.option(
    "--kubernetes",
    "launcher",
    flag_value="kubernetes",
    help="A part of a SparkApplication, for the image in docs/launch.md.",
)
def conf(launcher: str) -> None:
    """Print the settings by which another launcher of Spark knows eddyline.

    As options of spark-submit, spark-sql and the scripts that start servers, as lines of
    spark-defaults.conf, as Python, or as YAML for Kubernetes.
    """
    click.echo("\n".join(LAUNCHERS[launcher]()))


@eddyline.command()
@click.option(
    "--standalone",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a jar there that also has eddyline's Python, for drivers without pip.",
)
def jar(target: Path | None) -> None:
    """Print the path of the jar for the Spark of SPARK_HOME, or else the installed pyspark.

    `eddyline conf` prints its settings.
    """
    if target is not None:
        write_standalone_jar(target)
    click.echo(target or jar_path())


@eddyline.group()
def dbt() -> None:
    """Help dbt find eddyline's package of materializations and tests."""


@dbt.command()
def path() -> None:
    """Print the path of the dbt package, for `local:` in a packages.yml."""
    click.echo(str(files("eddyline") / "sql" / "dbt"))


@eddyline.command("kafka-jars")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def kafka_jars(folder: Path) -> None:
    """Fetch the jars of the Kafka connector that fits Spark into a folder.

    Spark is that of SPARK_HOME, or else the installed pyspark. Maven fetches the jars, or else the
    Ivy that Spark brings. Prints the path of each.
    """
    from eddyline.kafka import fetch

    for path in fetch(folder):
        click.echo(path)


@eddyline.command(
    help=doctor_options().description,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def doctor(options: tuple[str, ...]) -> None:
    """Hands the options to the parser that also runs without click."""
    raise SystemExit(run_doctor(options))


eddyline.add_command(demo)
eddyline.add_command(fmt)
eddyline.add_command(lint)
eddyline.add_command(serve)
eddyline.add_command(warm)
eddyline.add_command(why)
