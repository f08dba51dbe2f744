"""Java's source launcher, and the program Jdbc.java, which is a client of plain JDBC."""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from interop.launch import SPARK_HOME, run
from interop.server import Server

_PROGRAM = Path(__file__).with_name("Jdbc.java")
# The jars of pyspark that a client of hive-jdbc needs.
CLASS_PATH = str(SPARK_HOME / "jars" / "*")


def java(tool: str = "java") -> str:
    """Returns the path of Java, or of another of its tools, or the name."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", tool)) if home else tool


def require_compiler() -> None:
    """Skips a test where Java cannot compile a source file."""
    if not _compiles():
        pytest.skip(f"{java()} is a JRE: its modules lack jdk.compiler, so JDBC is NOT tested")


def ask(server: Server, scratch: Path, action: str, *words: str) -> list[Any]:
    """Returns the answers that the program prints.

    Args:
        server: the Thrift server.
        scratch: its working directory.
        action: what it does, as Jdbc.java says.
        *words: the arguments of the action.
    """
    require_compiler()
    done = run(program(server, action, *words), scratch)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def program(server: Server, action: str, *words: str) -> list[str]:
    """Returns the command line of the program."""
    url = f"jdbc:hive2://127.0.0.1:{server.port}/default"
    # the answers are on stdout, where log4j would print the errors of the driver
    return [java(), "-Dlog4j2.level=OFF", "-cp", CLASS_PATH, str(_PROGRAM), url, action, *words]


@cache
def _compiles() -> bool:
    modules = subprocess.run([java(), "--list-modules"], capture_output=True, text=True, check=True)
    return "jdk.compiler@" in modules.stdout
