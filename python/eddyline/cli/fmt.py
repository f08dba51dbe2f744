"""The command `eddyline fmt`."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

import click

from eddyline.atomicfile import replaced
from eddyline.cli.output import in_one_line
from eddyline.cli.texts import STDIN, files, read_text
from eddyline.errors import EddylineError
from eddyline.formatting import LINE_LENGTH, format_sql


@click.command()
@click.argument(
    "paths", nargs=-1, type=click.Path(exists=True, allow_dash=True, path_type=Path), required=True
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@click.option(
    "--line-length",
    type=click.IntRange(20),
    default=LINE_LENGTH,
    show_default=True,
    metavar="CHARACTERS",
    help="Length of a line.",
)
def fmt(*, paths: tuple[Path, ...], check: bool, diff: bool, line_length: int) -> None:
    """Format SQL files, or standard input, which is -.

    Words and comments stay as they are, and so does Jinja. In a folder these are all files that
    end with .sql. Exits with status 1 if --check or --diff finds a file that would change, and
    with 2 if a file cannot be laid out.
    """
    changed, failed = 0, 0
    for path in files(paths):
        try:
            changed += _format(path, line_length, check=check, diff=diff)
        except EddylineError as error:
            failed += 1
            click.echo(in_one_line(f"{path}: {error}"), err=True)
    if failed:
        raise SystemExit(2)
    if changed and (check or diff):
        raise SystemExit(1)


def _format(path: Path, line_length: int, *, check: bool, diff: bool) -> bool:
    """Formats a text; returns whether that changes it."""
    typed = read_text(path)
    text = format_sql(typed, line_length=line_length)
    if diff:
        click.echo("".join(_differences(path, typed, text)), nl=False)
    elif path == STDIN and not check:
        click.echo(text.encode(), nl=False)
    if text == typed:
        return False
    if check or diff:
        click.echo(in_one_line(f"{path} would change"), err=True)
    elif path != STDIN:
        with replaced(path) as new:
            new.write_bytes(text.encode())
        click.echo(in_one_line(f"{path} changed"), err=True)
    return True


def _differences(path: Path, before: str, after: str) -> Iterator[str]:
    name = path.as_posix()
    for line in difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, name
    ):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
