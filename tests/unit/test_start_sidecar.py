"""How the jar starts Python."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from eddyline.versions import eddyline_version
from waiting import PROCESS_HANGS


@pytest.mark.parametrize("name", ["eddyline/__init__.py", "runpy.py", "struct.py"])
def test_nothing_is_imported_from_the_working_directory(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("raise ImportError('it is of the working directory')")
    start = files("eddyline").joinpath("start_sidecar.py").read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", start],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "PYTHONSAFEPATH"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert (done.stdout[4:].decode(), done.stderr) == (eddyline_version(), b"")
