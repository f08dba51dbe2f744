"""How the jar starts Python."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from eddyline.cli.submit import check_python
from eddyline.errors import EddylineError
from signals import by_default

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


def test_a_python_that_prints_when_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('welcome')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(EddylineError, match='it printed "welcome" on standard output'):
        check_python(sys.executable)


def test_it_outlasts_ctrl_c() -> None:
    start = files("eddyline").joinpath("start_sidecar.py").read_text(encoding="utf-8")
    with subprocess.Popen(
        by_default([sys.executable, "-c", start]), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as sidecar:
        assert sidecar.stdin is not None
        assert sidecar.stdout is not None
        sidecar.stdout.read(int.from_bytes(sidecar.stdout.read(4), "big"))
        sidecar.send_signal(signal.SIGINT)
        sidecar.stdin.write(b"\0\0\0\x09\0SELECT 1")
        sidecar.stdin.flush()
        answer = sidecar.stdout.read(int.from_bytes(sidecar.stdout.read(4), "big"))
    assert answer == b'{"kind": "unchanged"}'
