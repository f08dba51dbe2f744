"""A server of `eddyline serve`."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from eddyline.cli.servers import SERVERS, Server
from eddyline.session import settings
from interop.launch import SPARK_HOME, confs, free_port, process, run
from waiting import PROCESS_HANGS, eventually

ROLLOVER = "rollover.py"  # the program to which a server writes its log


@dataclass(frozen=True)
class Served:
    """A server of `eddyline serve` that has said that it is ready.

    Attributes:
        command: the process of the command.
        server: the server at the printed URL.
        scratch: the folder with the tables and the log.
    """

    command: subprocess.Popen[str]
    server: Server
    scratch: Path

    def run(self, *statements: str) -> str:
        """Returns what the client for the printed URL prints."""
        done = run(self.server.client(SPARK_HOME, *statements), self.scratch)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def group(self) -> int:
        """The process group of the server itself, and of its sidecar."""
        (group,) = (pid for pid, command in children(self.command.pid) if ROLLOVER not in command)
        return group

    def errors(self) -> str:
        """Returns what the command has written to stderr."""
        return (self.scratch / "errors").read_text("utf-8")


@contextmanager
def serving(kind: str, scratch: Path, conf: Mapping[str, str]) -> Iterator[Served]:
    """Runs `eddyline serve` in `scratch` until it is ready, and ends it afterwards."""
    given = {k: v for k, v in confs(scratch).items() if k not in settings({})} | dict(conf)
    options = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
    log = scratch / "server.log"
    program = [sys.executable, "-m", "eddyline", "serve", kind, "--port", str(free_port())]
    with (
        (scratch / "output").open("wb") as output,
        (scratch / "errors").open("wb") as errors,
        process(
            [*program, "--log-file", str(log), *options, "--", "--name", "served"],
            scratch,
            output.fileno(),
            errors.fileno(),
            grace=PROCESS_HANGS,
        ) as command,
    ):
        printed = scratch / "output"
        eventually(lambda: command.poll() is not None or "ready\n" in printed.read_text("utf-8"))
        assert command.poll() is None, (scratch / "errors").read_text("utf-8")
        url, ready = printed.read_text("utf-8").splitlines()
        assert ready == "ready"
        (port,) = re.findall(r"//127\.0\.0\.1:(\d+)", url)
        server = SERVERS[kind]("127.0.0.1", int(port))
        assert url == server.url
        yield Served(command, server, scratch)


def children(parent: int) -> list[tuple[int, str]]:
    """Returns the ID and the command line of each process that a process has started."""
    listing = ["ps", "-ww", "--ppid", str(parent), "-o", "pid=,args="]
    listed = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=1) for line in listed.splitlines()]
    return [(int(pid), command) for pid, command in rows]
