"""The archive of classes of a real JVM: made, used, and without a word where it cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from doctors import PROGRAM, doctor
from waiting import PROCESS_HANGS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.full


def eddyline(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )


def test_it_is_made_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "archives"
    monkeypatch.setenv("EDDYLINE_ARCHIVES", str(folder))
    assert archive_of(tmp_path) == "None is used: none is there. Run `eddyline warm`."
    made = eddyline("warm")
    assert (made.returncode, made.stderr) == (0, "")
    path = folder / made.stdout.strip()
    assert archive_of(tmp_path).startswith(f"{path}, {path.stat().st_size >> 20} MiB, since ")
    with_archive = eddyline("sql", "--json", "-e", "SELECT 1 AS one")
    assert (with_archive.returncode, with_archive.stdout) == (0, '{"one":1}\n')
    # a file that no JVM can use, with which it starts as ever
    size = path.stat().st_size
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.write(bytes(1 << 20))
    assert path.stat().st_size == size
    assert "Java refuses" in archive_of(tmp_path)
    refused = eddyline("sql", "--json", "-e", "SELECT 1 AS one")
    assert (refused.stdout, refused.stderr) == (with_archive.stdout, with_archive.stderr)


def archive_of(folder: Path) -> str:
    """Returns what the doctor says about the archive."""
    status, findings = doctor(folder, {})
    assert status == 0
    (found,) = (each for each in findings if each["name"] == "archive")
    return " ".join(filter(None, [found["detail"], found["advice"]]))
