"""The standalone jar, which brings eddyline's Python and its libraries with it.

A driver with this jar needs a Python, but nothing that pip has installed there: Python imports from
an archive (PEP 273), so the sidecar runs with the jar on its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackagePath, distribution
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from eddyline.atomicfile import replaced
from eddyline.session import jar_path

if TYPE_CHECKING:
    from importlib.abc import Traversable

_FOLDER = "eddyline/python"  # PythonLocator.scala looks there
_LEFT_OUT = frozenset(["__pycache__", "jars"])


def write_standalone_jar(target: Path, spark_minor: str | None = None) -> None:
    """Writes a copy of the jar that also has this package, its libraries and their licenses.

    Equal installations write equal bytes.

    Args:
        target: path of the new jar, in a folder that exists.
        spark_minor: minor version of Spark, such as "4.3"; None for that of `started_spark`.

    Raises:
        EddylineError: EDDYLINE_ENVIRONMENT.FILE_NOT_WRITTEN, and as from `eddyline.jar_path`.
    """
    with (
        ZipFile(jar_path(spark_minor)) as plain,
        replaced(target) as new,
        ZipFile(new, "w") as archive,
    ):
        for entry in plain.infolist():
            archive.writestr(entry, plain.read(entry))
        for name, content in sorted({**dict(_package()), **dict(_libraries())}.items()):
            archive.writestr(ZipInfo(f"{_FOLDER}/{name}"), content, ZIP_DEFLATED)


def _package() -> Iterator[tuple[str, bytes]]:
    """Yields path and content of each file of this package but the jars."""
    folders: list[tuple[str, Traversable]] = [("eddyline", files("eddyline"))]
    for path, folder in folders:
        for entry in folder.iterdir():
            if entry.is_file():
                yield f"{path}/{entry.name}", entry.read_bytes()
            elif entry.name not in _LEFT_OUT:
                folders.append((f"{path}/{entry.name}", entry))


def _libraries() -> Iterator[tuple[str, bytes]]:
    """Yields path and content of each module and license of the required libraries."""
    for requirement in distribution("eddyline").requires or ():
        if "extra ==" not in requirement:
            name = re.split(r"[^\w.-]", requirement)[0]
            for path in distribution(name).files or ():
                if path.suffix == ".py" or _is_license(path):
                    yield path.as_posix(), path.read_binary()


def _is_license(path: PackagePath) -> bool:
    return ".dist-info/" in path.as_posix() and path.name.upper().startswith(("LICENSE", "NOTICE"))
