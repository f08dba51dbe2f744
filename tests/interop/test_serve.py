"""`eddyline serve` with real servers, from the printed URL to the last process."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet
import pytest

from eddyline.cli.servers import SERVERS, Server
from eddyline.session import settings
from interop.launch import SPARK_HOME, confs, process, run
from interop.shop import COGROUP, ROWS, VIEWS
from waiting import PROCESS_HANGS, eventually

NUMBERS = 20
# each row of the micro-batch takes a second, so that the signal comes while it runs; on a machine
# where it comes later the test still holds
QUERY = f"""
CREATE TABLE numbers (k BIGINT) USING parquet;
CREATE TABLE slow (k BIGINT, slept STRING) USING parquet;
INSERT INTO numbers SELECT /*+ COALESCE(1) */ id FROM range({NUMBERS});
START STREAMING QUERY `slow ``one` CHECKPOINT '<checkpoint>' COMMENT 'a, "b"' AS
INSERT INTO slow SELECT k, java_method('java.lang.Thread', 'sleep', 1000L) FROM STREAM numbers
"""


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

    def errors(self) -> str:
        """Returns what the command has written to stderr."""
        return (self.scratch / "errors").read_text("utf-8")


@contextmanager
def serving(kind: str, scratch: Path) -> Iterator[Served]:
    given = {k: v for k, v in confs(scratch).items() if k not in settings({})}
    given["spark.sql.catalogImplementation"] = "in-memory"
    options = [word for key, value in given.items() for word in ("--conf", f"{key}={value}")]
    log = scratch / "server.log"
    program = [sys.executable, "-m", "eddyline", "serve", kind, "--port", "0"]
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


@pytest.mark.parametrize(("kind", "number"), [("thrift", "SIGTERM"), ("connect", "SIGINT")])
def test_a_stop_lets_the_micro_batch_end(tmp_path: Path, kind: str, number: str) -> None:
    with serving(kind, tmp_path) as served:
        served.run(*VIEWS)
        printed = served.run(f"SELECT count(*) AS n FROM ({COGROUP})")
        assert re.findall(r"\d+", printed)[-1] == str(len(ROWS))
        checkpoint = tmp_path / "checkpoint"
        served.run(*QUERY.replace("<checkpoint>", str(checkpoint)).split(";"))
        eventually((checkpoint / "offsets/0").exists)
        (server_pid,) = children(served.command.pid)

        served.command.send_signal(signal.Signals[number])
        assert served.command.wait(PROCESS_HANGS) == 0, served.errors()
        assert served.errors().endswith("Stopped.\n")

        written = pyarrow.parquet.read_table(tmp_path / "warehouse/slow")
        assert sorted(written["k"].to_pylist()) == list(range(NUMBERS))
        assert (checkpoint / "commits/0").exists()
        assert "terminated with error" not in (tmp_path / "server.log").read_text("utf-8")
        assert not running(server_pid)


def children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True)
    return [int(line) for line in found.stdout.split()]


def running(group: int) -> list[str]:
    """Returns the processes of a group, but for those that init has not collected yet."""
    command = ["ps", "-eo", "pgid=,stat=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    return [row[-1] for row in rows if row[0] == str(group) and not row[1].startswith("Z")]
