"""Where a command takes its text from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from eddyline.cli.options import NamedError
from eddyline.cli.sqlfiles import STDIN, decoded, read_text
from eddyline.errors import EddylineError

PATH = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
FILE = "A file to read the text from; - for standard input."


def only_one(text: str | None, path: Path | None) -> str:
    """Returns the text to work on: as given, of a file, or of standard input.

    Raises:
        NamedError: EDDYLINE_ENVIRONMENT.NOT_UTF8.
    """
    if text is not None and path is not None:
        raise click.UsageError("Give the text by -e, or a file by -f.")
    try:
        if text is not None:
            return decoded(os.fsencode(text), "the text of -e")
        found = "" if path is None and sys.stdin.isatty() else read_text(path or STDIN)[0]
    except EddylineError as error:
        raise NamedError(error) from error
    if path is None and not found.strip():
        raise click.UsageError("Give the text by -e, a file by -f, or the text on standard input.")
    return found
