"""The command `eddyline demo`."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from eddyline.cli.runner import progress


def demo_package() -> Any:
    """Returns the package `eddyline.demo`, which is `examples/demo` in a clone."""
    examples = str(Path(__file__).parents[3] / "examples")
    places = sys.modules["eddyline"].__path__
    if examples not in places:
        places.append(examples)
    return import_module("eddyline.demo")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def demo(as_json: bool) -> None:
    """Run every clause in batch and as streams, checked against plain Spark SQL.

    The data are KIP-150's example and the flights of 2013. Needs `eddyline[demo]`.
    """
    with progress("Starting Spark…") as line:
        report = demo_package().run(line.update)
    if as_json:
        click.echo(json.dumps(report.as_dict(), indent=2, default=str))
    else:
        report.print(Console())
    if not report.ok:
        raise SystemExit(1)
