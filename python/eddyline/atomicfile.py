"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from eddyline.errors import EddylineError


def check_writable(target: Path) -> None:
    """Checks that `replaced` can write a file.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.FILE_NOT_WRITTEN.
    """
    folder = target.resolve().parent
    if target.exists() and not target.is_file():
        raise _not_written(target, "it is no regular file")
    if not folder.is_dir():
        raise _not_written(target, f"there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise _not_written(target, f"the folder {folder} cannot be written")


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """Yields the path of a new file, which takes the place of `target` once the block has ended.

    Until then, and if the block fails, `target` is as it was. It keeps its mode; a symbolic link
    stays, and the file to which it points is replaced.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.FILE_NOT_WRITTEN.
    """
    check_writable(target)
    path = target.resolve()
    try:
        new = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        new.touch(exist_ok=False)
        try:
            if path.exists():
                shutil.copymode(path, new)
            yield new
            with new.open("rb+") as written:
                os.fsync(written.fileno())
            new.replace(path)
        finally:
            with suppress(FileNotFoundError):
                new.unlink()
    except OSError as error:
        raise _not_written(target, error.strerror or str(error)) from error


def _not_written(target: Path, reason: str) -> EddylineError:
    return EddylineError("EDDYLINE_ENVIRONMENT.FILE_NOT_WRITTEN", path=str(target), reason=reason)
