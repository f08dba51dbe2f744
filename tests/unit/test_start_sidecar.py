"""How the jar starts Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from eddyline.cli.submit import check_python

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("path", ["", "/nowhere:", ".:/nowhere"])
@pytest.mark.parametrize(
    "name", ["eddyline/__init__.py", "json.py", "struct.py", "sitecustomize.py"]
)
def test_nothing_is_imported_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("raise ImportError('it is of the working directory')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.setenv("PYTHONPATH", path)
    check_python(sys.executable)  # raises an error unless the sidecar starts
