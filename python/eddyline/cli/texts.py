"""Where the commands take their texts from."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from eddyline.errors import EddylineError

PATH = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
FILE = "A file to read the text from; - for standard input."
STDIN = Path("-")


def only_one(text: str | None, path: Path | None) -> str:
    """Returns the text to work on: as given, of a file, or of standard input.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.FILE_NOT_READ, NOT_UTF8.
    """
    if text is not None and path is not None:
        raise click.UsageError("Give the text by -e, or a file by -f.")
    if text is not None:
        return _decoded(os.fsencode(text), "the text of -e")
    found = "" if path is None and sys.stdin.isatty() else read_text(path or STDIN)
    if path is None and not found.strip():
        raise click.UsageError("Give the text by -e, a file by -f, or the text on standard input.")
    return found


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yields the files: those that are given, and in a folder those that end with .sql."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*.sql") if file.is_file())
        else:
            yield path


def read_text(path: Path) -> str:
    """Returns a text as it is in a file or on standard input, without a byte order mark.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.FILE_NOT_READ, NOT_UTF8.
    """
    if path == STDIN:
        return _decoded(sys.stdin.buffer.read(), "standard input")
    return _decoded(read_bytes(path), str(path))


def read_bytes(path: Path) -> bytes:
    """Returns what is in a file.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.FILE_NOT_READ.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.FILE_NOT_READ",
            path=str(path),
            reason=error.strerror or str(error),
        ) from error


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.NOT_UTF8", source=source, offset=str(error.start)
        ) from error
