"""Spark's launchers, each in a process group of its own that ends with the test."""

from __future__ import annotations

import fcntl
import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import pyspark

from eddyline.session import settings
from sessions import local_settings
from signals import by_default
from waiting import PROCESS_HANGS

SPARK_HOME = Path(pyspark.__file__).parent
# by which a shell finds the scripts of this environment, and Spark's
SHELL_PATH = os.pathsep.join(
    [str(Path(sys.executable).parent), str(SPARK_HOME / "bin"), os.environ["PATH"]]
)

_WORKERS = 8
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % _WORKERS
_OWN = range(20_000 + _WORKER, 32_000, _WORKERS)
_PORTS = itertools.cycle(random.sample(_OWN, len(_OWN)))
_LOCKS = Path(tempfile.gettempdir()) / f"eddyline-ports-{os.getuid()}"
_HELD: list[TextIO] = []


def confs(scratch: Path) -> dict[str, str]:
    """Returns confs by which a launcher knows eddyline and writes nothing outside `scratch`."""
    return {
        **settings({}),
        **local_settings(scratch),
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": (
            f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir={scratch}"
        ),
        "spark.local.dir": str(scratch / "local"),
        "spark.hadoop.hive.exec.scratchdir": str(scratch / "hive"),
    }


def launcher(name: str, given: Mapping[str, str], *arguments: str) -> list[str]:
    """Returns the command line of `bin/<name>`."""
    options = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
    return [str(SPARK_HOME / "bin" / name), *options, *arguments]


def run(
    command: Sequence[str], scratch: Path, *, programs: int = 1, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs `command` in `scratch` to its end; the caller checks the exit code.

    Args:
        command: the command line, as from `launcher`.
        scratch: the working directory.
        programs: how many programs it starts, one after another.
        **variables: environment variables on top of the inherited ones.
    """
    with process(command, scratch, subprocess.PIPE, subprocess.PIPE, **variables) as started:
        out, err = started.communicate(timeout=PROCESS_HANGS * programs)
    return subprocess.CompletedProcess(command, started.returncode, out, err)


def shell(
    code: str, scratch: Path, *, programs: int = 1, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs the lines of a block `bash` of a page in `scratch`, to the first that fails."""
    variables = {"PATH": SHELL_PATH, **variables}
    return run(["bash", "-euc", code], scratch, programs=programs, **variables)


@contextmanager
def process(
    command: Sequence[str],
    scratch: Path,
    stdout: int,
    stderr: int,
    grace: float = 20,
    *,
    stdin: int = subprocess.DEVNULL,
    **variables: str,
) -> Iterator[subprocess.Popen[str]]:
    """Starts `command` in `scratch`, and ends it and all its children afterwards.

    Args:
        command: the command line, as from `launcher`.
        scratch: the working directory.
        stdout: file descriptor of its output.
        stderr: file descriptor of its errors.
        grace: seconds after which it is killed, if it has not ended at a SIGTERM.
        stdin: file descriptor of its input.
        **variables: environment variables on top of the inherited ones.
    """
    started = subprocess.Popen(
        by_default(command),
        cwd=scratch,
        env={**_environment(scratch), **variables},
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )
    try:
        yield started
    finally:
        _end(started, grace)


def free_port() -> int:
    """Returns a port of 127.0.0.1 on which no process listens.

    It is one that Linux gives to nobody who takes any port, so that it stays free until a server
    has started. Each worker has ports of its own, and so has each run of the tests on a machine: a
    port is locked as long as this process lives.
    """
    _LOCKS.mkdir(exist_ok=True)
    for port in _PORTS:
        lock = (_LOCKS / str(port)).open("w")
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as free:
                free.bind(("127.0.0.1", port))
            _HELD.append(lock)
            return port
        lock.close()
    raise AssertionError


def accepts(port: int) -> bool:
    """Returns whether a process listens on the port of 127.0.0.1."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _environment(scratch: Path) -> dict[str, str]:
    # a Connect client in this process exports SPARK_REMOTE and the like, which would redirect a JVM
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))}
    return {
        **inherited,
        "SPARK_HOME": str(SPARK_HOME),
        # a folder without spark-defaults.conf, so that no setting of this machine applies
        "SPARK_CONF_DIR": str(scratch),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }


def _end(started: subprocess.Popen[str], grace: float) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        # a finished leader may leave children in its group
        with suppress(ProcessLookupError):
            os.killpg(started.pid, number)
        with suppress(subprocess.TimeoutExpired):
            started.wait(grace)
