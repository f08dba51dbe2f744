"""Where a command takes its text from."""

from __future__ import annotations

import sys
from pathlib import Path

import click

PATH = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
FILE = "A file to read the text from; - for standard input."


def only_one(text: str | None, path: Path | None) -> str:
    """Returns the text to work on: as given, of a file, or of standard input."""
    if text is not None and path is not None:
        raise click.UsageError("Give the text by -e, or a file by -f.")
    if text is not None:
        return text
    if path is not None and str(path) != "-":
        return path.read_text("utf-8")
    found = "" if path is None and sys.stdin.isatty() else sys.stdin.read()
    if path is None and not found.strip():
        raise click.UsageError("Give the text by -e, a file by -f, or the text on standard input.")
    return found
