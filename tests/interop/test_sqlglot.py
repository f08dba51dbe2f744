"""The dialect `eddyline` with the oldest and newest supported sqlglot, pure and compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from interop.pip import OTHERS, SQLGLOT, pip
from tiers import ROOT
from waiting import PROCESS_HANGS

OLDEST = SQLGLOT.partition(",")[0].replace(">=", "==")
SUITE = Path(__file__).with_name("sqlglot_suite.py")


@pytest.mark.parametrize("compiled", [False, True], ids=["pure", "compiled"])
@pytest.mark.parametrize("requirement", [OLDEST, SQLGLOT])
def test_suite(requirement: str, compiled: bool, tmp_path: Path) -> None:
    if compiled:
        requirement = requirement.replace("sqlglot", "sqlglot[c]", 1)
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv/bin/python"
    pip(python, "install", "--quiet", "pytz", requirement, *OTHERS)
    installed = json.loads(pip(python, "list", "--format", "json"))
    (version,) = [each["version"] for each in installed if each["name"] == "sqlglot"]
    source = ("download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d", str(tmp_path))
    pip(python, *source, f"sqlglot=={version}")
    with tarfile.open(tmp_path / f"sqlglot-{version}.tar.gz") as archive:
        inside = [each for each in archive if "/tests/" in each.name]
        archive.extractall(tmp_path, members=inside, filter="data")
    done = subprocess.run(
        [str(python), str(SUITE), str(ROOT / "tests/golden")],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "tests"), "."]),
        },
        cwd=tmp_path / f"sqlglot-{version}",
        capture_output=True,
        text=True,
        timeout=PROCESS_HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["compiled"] == compiled
    assert report["spark"]["ran"] > 20
    assert report["eddyline"] == report["spark"]
    assert report["golden"]["others"] == []
    assert report["golden"]["same"] > 400
