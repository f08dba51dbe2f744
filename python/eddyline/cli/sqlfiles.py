"""The SQL files that a command is given."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

STDIN = Path("-")


def files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yields the files: those that are given, and in a folder those that end with .sql."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*.sql") if file.is_file())
        else:
            yield path


def read_text(path: Path) -> tuple[str, str]:
    """Returns a text and the end of its lines. Raises `UnicodeDecodeError` if it is not UTF-8."""
    if path == STDIN:
        return sys.stdin.read(), "\n"
    text = path.read_bytes().decode("utf-8")
    newline = "\r\n" if "\r\n" in text else "\n"
    return text.replace("\r\n", "\n"), newline
