"""What several commands share: how a setting is typed, and how an error is shown."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import click

from eddyline.cli.output import with_tabs
from eddyline.errors import EddylineError
from eddyline.jvm import error_text, java_errors


class NamedError(click.ClickException):
    """A named error, shown to the user without a traceback."""

    def __init__(self, error: Exception) -> None:
        super().__init__(with_tabs(error_text(error).strip().replace("\r\n", "\n")))

    def show(self, file: Any = None) -> None:
        """Writes the error to stderr."""
        # as it is: rich would expand tabs, and carets point at words below them
        plain = bool(os.environ.get("NO_COLOR"))
        click.secho(self.message, fg="red", err=True, color=False if plain else None)


class Commands(click.Group):
    """Commands that end with a named error, of eddyline or of Spark, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that was typed."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(128 + signal.SIGINT) from None
        except named_errors() as error:
            raise NamedError(error) from error


def named_errors() -> tuple[type[Exception], ...]:
    """Returns the classes of errors of eddyline and, once pyspark is loaded, of Spark."""
    spark = sys.modules.get("pyspark.errors")
    return (EddylineError, *java_errors(), *([] if spark is None else [spark.PySparkException]))


def _pairs(_: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    """Returns the settings that were typed as KEY=VALUE."""
    for pair in pairs:
        if not pair.partition("=")[0] or "=" not in pair:
            raise click.BadParameter(f"{pair!r} is not KEY=VALUE.", param=parameter)
    return {key: value for key, _, value in (pair.partition("=") for pair in pairs)}


settings_option = click.option(
    "--conf",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_pairs,
    help="A setting of Spark; repeatable.",
)
