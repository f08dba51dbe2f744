"""Jars that Maven fetches for a test, which is skipped where it cannot."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from eddyline.versions import jar_name
from waiting import PROCESS_HANGS


def jars(artifacts: Iterable[str], folder: Path) -> list[Path]:
    """Returns jars in a folder, of which each is fetched once, or skips the test and says why."""
    found = []
    for artifact in artifacts:
        found.append(folder / jar_name(artifact))
        if not found[-1].exists():
            fetch(artifact, folder)
    return found


def fetch(artifact: str, folder: Path) -> None:
    """Copies the jar of `group:name:version` into a folder, or skips the test and says why."""
    maven = shutil.which("mvn")
    if maven is None:
        pytest.skip(f"{artifact} comes from Maven, which is not here")
    goal = ("dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}")
    done = subprocess.run(
        [maven, "-q", "-B", *goal],
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"Maven has no {artifact}: {done.stdout[-500:]}")
