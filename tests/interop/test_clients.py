"""The blocks of docs/clients.md, as they stand but for ports."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from interop.jdbc import require_compiler
from interop.launch import run, shell
from interop.server import Server
from pages import CLIENTS, blocks

# The last row of every example, however a client prints it.
LAST_ROW = re.compile(r"^\W*3\W+0\W+1\W*$", re.MULTILINE)


def test_beeline(thrift: Server, tmp_path: Path) -> None:
    (block,) = blocks(CLIENTS, "bash", section="beeline")
    _check(_shell(block.code, thrift, tmp_path))


def test_jdbc(thrift: Server, tmp_path: Path) -> None:
    require_compiler()
    program, command = blocks(CLIENTS, "java", "bash", section="JDBC")
    (tmp_path / "Clause.java").write_text(program.code, "utf-8")
    _check(_shell(command.code, thrift, tmp_path))


@pytest.mark.parametrize("section", ["PyHive", "SQLAlchemy"])
def test_python_with_thrift(thrift: Server, tmp_path: Path, section: str) -> None:
    (block,) = blocks(CLIENTS, "python", section=section)
    _check(_python(block.code.replace("10000", str(thrift.port)), tmp_path))


def test_spark_connect(connect: Server, tmp_path: Path) -> None:
    (block,) = blocks(CLIENTS, "python", section="Spark Connect from Python")
    _check(_python(block.code.replace("15002", str(connect.port)), tmp_path))


def test_every_block_is_run() -> None:
    assert [block.language for block in blocks(CLIENTS, "bash", "java", "python")] == [
        "bash",
        "java",
        "bash",
        "python",
        "python",
        "python",
    ]


def _shell(code: str, server: Server, folder: Path) -> subprocess.CompletedProcess[str]:
    home = f"-Duser.home={folder}"  # beeline keeps its history there
    return shell(code.replace("10000", str(server.port)), folder, SPARK_BEELINE_OPTS=home)


def _python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program that cannot import eddyline."""
    without = f"import sys\nsys.modules['eddyline'] = None\n{code}"
    return run([sys.executable, "-c", without], folder)


def _check(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stderr
    assert LAST_ROW.search(done.stdout), done.stdout + done.stderr
