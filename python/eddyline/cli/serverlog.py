"""Where the output of a server goes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TAIL = 20  # lines


class ServerLog:
    """A file to which a server's output is appended, or standard output.

    Args:
        path: path of the file, whose folder is created; `-` for standard output.

    Raises:
        OSError: if the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = None if str(path) == "-" else path.absolute()
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                self._start = file.tell()

    def __str__(self) -> str:
        return str(self._path or "on standard output")

    @contextmanager
    def output(self) -> Iterator[int | None]:
        """Yields the file descriptor to write to; None for standard output."""
        if self._path is None:
            yield None
        else:
            with self._path.open("ab") as file:
                yield file.fileno()

    def tail(self) -> str:
        """Returns the last lines of this run; nothing if they were on standard output."""
        if self._path is None:
            return ""
        with self._path.open("rb") as file:
            file.seek(self._start)
            lines = file.read().decode(errors="replace").splitlines()
        return "\n".join(lines[-_TAIL:])
