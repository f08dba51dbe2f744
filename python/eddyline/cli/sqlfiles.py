"""The SQL files that a command is given."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from eddyline.errors import EddylineError

STDIN = Path("-")


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yields the files: those that are given, and in a folder those that end with .sql."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*.sql") if file.is_file())
        else:
            yield path


def read_text(path: Path) -> tuple[str, str]:
    """Returns a text without a byte order mark, and the end of its lines.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.NOT_UTF8.
    """
    is_stdin = path == STDIN
    data = sys.stdin.buffer.read() if is_stdin else path.read_bytes()
    text = decoded(data, "standard input" if is_stdin else str(path))
    newline = "\r\n" if "\r\n" in text and not is_stdin else "\n"
    return text.replace("\r\n", "\n"), newline


def decoded(data: bytes, source: str) -> str:
    """Returns the text without a byte order mark.

    Args:
        data: the text in UTF-8.
        source: where it comes from, for the error.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.NOT_UTF8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EddylineError(
            "EDDYLINE_ENVIRONMENT.NOT_UTF8", source=source, offset=str(error.start)
        ) from error
