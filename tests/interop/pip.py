"""Environments of their own, into which pip installs what a test names."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tiers import ROOT
from waiting import PROCESS_HANGS

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
(SQLGLOT,) = [each for each in _PROJECT["dependencies"] if each.startswith("sqlglot")]
CLI = _PROJECT["optional-dependencies"]["cli"]
OTHERS = [each for each in _PROJECT["dependencies"] if each != SQLGLOT]


def pip(python: Path, *arguments: str) -> str:
    """Runs pip; where it reaches no index, the test is skipped and says why."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PROCESS_HANGS, check=False
    )
    if done.returncode:
        # an index that answers, but has no version that the ranges allow
        found = re.search(r"ResolutionImpossible|\(from versions: (?!none)", done.stderr)
        assert not found, done.stderr[-2000:]
        pytest.skip(f"pip {' '.join(arguments)}: {done.stderr[-500:]}")
    return done.stdout
