"""Where the output of a server goes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TAIL = 20  # lines
_ROLLOVER = Path(__file__).with_name("rollover.py")
_SIZE = 10 * 2**20  # bytes of a file
_FULL = 9  # files
_ORPHANS = 5  # seconds in which processes that a server has left may write


class ServerLog:
    """A file to which a server's output is appended, or standard output.

    The file has 10 MiB at most, and so have the nine before it, `<path>.1` to `<path>.9`.

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
        """Yields the file descriptor to write to; None for standard output.

        Afterwards the file has what was written.
        """
        if self._path is None:
            yield None
            return
        command = [sys.executable, "-I", str(_ROLLOVER), str(self._path), str(_SIZE), str(_FULL)]
        # in a session of its own, where no Ctrl-C reaches it
        process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
        assert process.stdin is not None
        try:
            yield process.stdin.fileno()
        finally:
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_ORPHANS)

    def tail(self) -> str:
        """Returns the last lines of this run; nothing if they were on standard output."""
        if self._path is None:
            return ""
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            is_new = os.fstat(file.fileno()).st_size < self._start  # the old one was full
            file.seek(0 if is_new else self._start)
            lines = file.read().decode(errors="replace").splitlines()
            return "\n".join(lines[-_TAIL:])
        return ""
